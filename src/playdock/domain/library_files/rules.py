"""Pure decisions about changes of files that several features share."""

from uuid import NAMESPACE_URL, uuid5


def place_id(library_id: str, game: str) -> str:
    """Return what stands for the id of a game that is not imported: always the same for its place."""
    return str(uuid5(NAMESPACE_URL, f"{library_id}/{game}"))
