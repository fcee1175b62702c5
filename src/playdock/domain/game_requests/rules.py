"""The states of a request, and what makes two requests the same."""

from enum import StrEnum

from playdock.kit.texts import normalize


class RequestStatus(StrEnum):
    """What has become of a request."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    DONE = "done"


# Requests that are fulfilled when the game is imported. A declined one is too, in case of a change of mind.
UNFULFILLED = (RequestStatus.OPEN, RequestStatus.ACCEPTED, RequestStatus.DECLINED)


def key_of(name: str, *, source_id: str | None, metadata_id: str | None) -> str:
    """Return what is the same for all requests for one game: the provider's id of the game, or else its name."""
    return f"{source_id}:{metadata_id}" if source_id and metadata_id else f":{normalize(name)}"
