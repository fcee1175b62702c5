"""The URLs of content, and the check that a response is the requested range."""

from urllib.parse import quote

from playdock_client.errors import BadResponse, VersionChanged
from playdock_client.transport import Body

CHANGED = "The version was re-imported during the download."
_OK = 200


def path_segment(text: str) -> str:
    """Return an id quoted as one segment of a path, since a hostile server can send any id."""
    if text in ("", ".", ".."):
        raise BadResponse("The server sent an invalid id.")
    return quote(text, safe="")


def check_range(body: Body, *, start: int, end: int) -> None:
    """Raise an error unless the response is the range. A full one means that the ETag differs (RFC 9110, 13.1.5)."""
    if body.status == _OK:
        raise VersionChanged(CHANGED)
    if not body.header("Content-Range").startswith(f"bytes {start}-{end - 1}/"):
        raise BadResponse("The server sent other bytes than requested.")
