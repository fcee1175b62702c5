"""Pure decisions about download links: their targets, lifetimes and limits."""

from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import quote

from playdock.kit.clock import as_utc
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message

# Far more than one person uses; bounds the rows that a faulty script can create.
MAX_LINKS = 1000
# Enough for a large download with interruptions; longer only on request, because anyone with the link can use it.
_LIFETIME = timedelta(hours=24)
_MAX_LIFETIME = timedelta(days=30)


class LinkKind(StrEnum):
    """The part of a version that a link opens: its own content, the installation as an archive, or a single file."""

    CONTENT = "content"
    ARCHIVE = "archive"
    FILE = "file"


def target(version_id: str, kind: LinkKind, path: str | None) -> str:
    """Return the path that a link opens.

    Raises:
        InvalidInput: the path of a file is missing, or a path is given for another kind.
    """
    if (kind is LinkKind.FILE) != bool(path):
        raise InvalidInput([FieldError("path", Message("path-of-link"))])
    paths = {LinkKind.CONTENT: "content", LinkKind.ARCHIVE: "archive.zip", LinkKind.FILE: f"files/{path}"}
    return f"/api/v1/versions/{version_id}/{paths[kind]}"


def address(path: str, secret: str) -> str:
    """Return the part of a link after the service's address."""
    return f"{quote(path)}?link={secret}"


def expiry(requested: datetime | None, *, now: datetime) -> datetime:
    """Return when a link expires.

    Raises:
        InvalidInput: it is in the past, or too far ahead.
    """
    expires = now + _LIFETIME if requested is None else as_utc(requested)
    if not now < expires <= now + _MAX_LIFETIME:
        raise InvalidInput([FieldError("expires", Message("expiry-of-link"))])
    return expires
