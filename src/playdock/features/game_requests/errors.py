"""Errors about requests for games."""

from playdock.features.game_requests.rules import MAX_WAITING
from playdock.kit.errors import BadGateway, Conflict, NotFound
from playdock.kit.messages import Message


class GameRequestUnknown(NotFound):
    """No request has this id."""

    def __init__(self) -> None:
        super().__init__("There is no request with this id. It may have been deleted.")


class GameInStore(Conflict):
    """The store has the requested game."""

    def __init__(self) -> None:
        super().__init__("The store has this game already.")


class TooManyGameRequests(Conflict):
    """The caller has the maximum number of requests that wait for an answer or an import."""

    def __init__(self) -> None:
        super().__init__(
            f"{MAX_WAITING} of your requests are waiting. Remove your vote from one, or vote for those of others."
        )


class RequestedGameUnknown(BadGateway):
    """The provider does not return the requested game."""

    def __init__(self, reason: Message) -> None:
        super().__init__(
            f"The details of this game cannot be fetched. {reason} Try again, or request it by its name only.",
            parameters={"reason": reason},
        )
