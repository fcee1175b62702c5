"""Errors about downloads."""

from playdock.content.damage import FileProblem
from playdock.kit.errors import Conflict, NotFound, Unavailable


class ManifestMissing(Unavailable):
    """The version's manifest is missing from the storage."""

    def __init__(self) -> None:
        super().__init__(
            "This version's manifest is missing from the server's storage. An admin can restore the objects folder "
            "(OBJECTS_URL) from a backup."
        )


class ContentChanged(Conflict):
    """A file no longer matches what was imported, so it is not sent."""

    def __init__(self, path: str, fault: FileProblem) -> None:
        super().__init__(
            f"{path} no longer matches what was imported ({fault}), so it is not sent. "
            "An admin can restore the file, or re-import the version."
        )


class ContentUnpacking(Unavailable):
    """The version is an archive that is being unpacked, which takes a while."""

    def __init__(self, percent: int) -> None:
        super().__init__(f"The game's archive is being unpacked on the server ({percent} %). Try again in a moment.")

    def headers(self) -> dict[str, str]:
        return {"Retry-After": "2"}


class ContentReplaced(NotFound):
    """The version no longer has the content that the URL is for."""

    def __init__(self) -> None:
        super().__init__("The version was re-imported, so this URL is no longer valid. Request its mirrors again.")


class ContentUnavailable(Unavailable):
    """The library's folder is currently unavailable."""

    def __init__(self) -> None:
        super().__init__("The disk with this game is currently unavailable. Try again later.")
