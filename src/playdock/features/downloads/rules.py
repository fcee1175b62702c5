"""Pure decisions about downloads: the parts of versions, file names, and limits."""

import re
from enum import StrEnum

from msgspec import Struct

from playdock.auth.actor import UserInfo
from playdock.content.layouts import DEFAULT_VERSION
from playdock.sending.limits import Limits
from playdock.settings import Settings

_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')
# Leaves space for a suffix within the 255 bytes that file systems allow, even if most characters take 2 bytes.
_MAX_NAME_CHARACTERS = 120


class Kind(StrEnum):
    """The part of a version to download: its own content, the complete installation as an archive, or a single file."""

    CONTENT = "content"
    ARCHIVE = "archive"
    FILE = "file"


class ContentRequest(Struct, frozen=True):
    """The requested part of a version; the path is only for a file."""

    kind: Kind
    path: str = ""


def title(game: str, version: str) -> str:
    """Return a file name for a version that is valid on every operating system."""
    name = game if version == DEFAULT_VERSION else f"{game} {version}"
    return _UNSAFE.sub(" ", name).strip(" .")[:_MAX_NAME_CHARACTERS] or "game"


def image_etag(manifest_etag: str) -> str:
    """Return the ETag of a version's own files, concatenated."""
    return f"{manifest_etag}.image"


def image_path(version_id: str, etag: str) -> str:
    """Return the path of a version's own files that is valid only while they have this ETag."""
    return f"/api/v1/versions/{version_id}/content/{etag}"


def limits_of_server(settings: Settings) -> Limits:
    return Limits(settings.download_rate, settings.downloads_at_once)


def limits_of(user: UserInfo, settings: Settings) -> Limits:
    """Return a user's custom limits; each defaults to the general limit."""
    rate, at_once = user.download_rate, user.downloads_at_once
    return Limits(
        settings.download_rate_per_user if rate is None else rate,
        settings.downloads_at_once_per_user if at_once is None else at_once,
    )
