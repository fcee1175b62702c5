"""What a link leads to, how long it holds, and how much may pass."""

from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import quote

from playdock.kit.clock import as_utc
from playdock.kit.errors import Fault, InvalidInput

MOST_LINKS = 1000
_LIFETIME = timedelta(hours=24)
_LONGEST = timedelta(days=30)


class LinkKind(StrEnum):
    """What of a version a link gives: its own image, the installation as an archive, or one file of that."""

    CONTENT = "content"
    ARCHIVE = "archive"
    FILE = "file"


def target(version_id: str, kind: LinkKind, path: str | None) -> str:
    """Give the path of the service that a link opens.

    Raises:
        InvalidInput: a file has no path, or something else has one.
    """
    if (kind is LinkKind.FILE) != bool(path):
        raise InvalidInput([Fault("path", "A link to a file needs its path, and no other link has one.")])
    ends = {LinkKind.CONTENT: "content", LinkKind.ARCHIVE: "archive.zip", LinkKind.FILE: f"files/{path}"}
    return f"/api/v1/versions/{version_id}/{ends[kind]}"


def address(path: str, secret: str) -> str:
    """Give what follows the service's own address in a link."""
    return f"{quote(path)}?link={secret}"


def expiry(wanted: datetime | None, *, now: datetime) -> datetime:
    """Give when a link expires.

    Raises:
        InvalidInput: it is past, or too far ahead.
    """
    expires = now + _LIFETIME if wanted is None else as_utc(wanted)
    if not now < expires <= now + _LONGEST:
        raise InvalidInput([Fault("expires", "The expiry must lie in the future, at most 30 days ahead.")])
    return expires
