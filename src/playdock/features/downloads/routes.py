"""``/api/v1/games/{id}/versions`` and ``/api/v1/versions/{id}/…`` (content, *Serving*)."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import structlog
from litestar import Response
from litestar.response import Stream

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.content.bodies import FileBody
from playdock.content.file_table import ServedFile
from playdock.features.downloads.errors import ContentAway, ContentChanged, ManifestLost
from playdock.features.downloads.rules import disposition
from playdock.features.downloads.schemas import ContentQuery, ManifestAnswer
from playdock.features.downloads.service import Downloads
from playdock.features.games.errors import FileUnknown, GameUnknown, VersionUnknown
from playdock.features.games.schemas import VersionAnswer
from playdock.features.installations.errors import LayerLost
from playdock.features.links.errors import LinkUsedUp
from playdock.features.patches.errors import PatchSetUnknown
from playdock.features.stock.rules import Kind, Wanted
from playdock.features.traffic.errors import TooManyDownloads
from playdock.http.front import can_take_over, hand_over
from playdock.http.routing import AnyRequest, get
from playdock.http.sending import Representation, Sender
from playdock.http.streaming import Making, Streamed
from playdock.kit.codings import choose_coding, headers_of, recoded
from playdock.kit.conditions import is_unchanged
from playdock.kit.errors import PreconditionFailed, RangeNotSatisfiable
from playdock.kit.faults import StorageUnusable, passing_fault
from playdock.sending.files import ContentGone, PlaceAway
from playdock.storage.serving import BlobOpener
from playdock.storage.unpacked import CacheFull

_log = structlog.get_logger()

_NO_ROOM = "Too many packed files are being downloaded. Try again in a while."
_DISK_FAILED = "A disk of the service's cannot be used. Tell an admin: the server's log has the reason."
_OWN_DISK = "objects"
_OCTETS = "application/octet-stream"
_FAILS = (
    VersionUnknown,
    ContentChanged,
    PreconditionFailed,
    RangeNotSatisfiable,
    LayerLost,
    ContentAway,
    StorageUnusable,
    TooManyDownloads,
    LinkUsedUp,
)


@get("/api/v1/games/{game_id:str}/versions", needs=Acl.CONTENT_READ, raises=[GameUnknown])
def list_versions(game_id: str, actor: Actor, downloads: Downloads) -> list[VersionAnswer]:
    """List the versions of a game, oldest first."""
    return [VersionAnswer.of(row) for row in downloads.versions(actor, game_id)]


@get(
    "/api/v1/versions/{version_id:str}/manifest",
    needs=Acl.CONTENT_READ,
    raises=[VersionUnknown, ManifestLost],
    answer=ManifestAnswer,
    with_head=True,
)
def fetch_manifest(
    request: AnyRequest, version_id: str, actor: Actor, downloads: Downloads
) -> Response[bytes] | Stream:
    """Fetch what the installation of a version consists of."""
    version = downloads.version(actor, version_id)
    coding = choose_coding(request.headers.get("accept-encoding"))
    headers = {
        "ETag": f'"{version.manifest_etag}"',
        "Cache-Control": "private, no-cache",
        **headers_of(coding),
    }
    if is_unchanged(request.headers.get("if-none-match"), version.manifest_etag):
        return Response(b"", status_code=304, headers=headers)
    pieces = () if request.method == "HEAD" else recoded(downloads.manifest(version), coding)
    return Stream(pieces, headers=headers, media_type="application/json")


@get(
    "/api/v1/versions/{version_id:str}/content",
    needs=Acl.CONTENT_READ,
    raises=_FAILS,
    media_type=_OCTETS,
    or_as="application/zstd",
    ranges=True,
)
async def fetch_content(
    request: AnyRequest, version_id: str, wanted: ContentQuery, actor: Actor, downloads: Downloads
) -> Response[bytes]:
    """Fetch the version's own files, laid end to end."""
    if wanted.frames and request.method == "GET":
        return await _compress(downloads, actor, version_id, wanted)
    return await _fetch(request, downloads, actor, version_id, Wanted(Kind.CONTENT), media_type=_OCTETS)


@get(
    "/api/v1/versions/{version_id:str}/files/{path:path}",
    needs=Acl.CONTENT_READ,
    raises=[*_FAILS, FileUnknown],
    media_type=_OCTETS,
    ranges=True,
)
async def fetch_file(
    request: AnyRequest, version_id: str, path: str, actor: Actor, downloads: Downloads
) -> Response[bytes]:
    """Fetch one file of the installation."""
    return await _fetch(request, downloads, actor, version_id, Wanted(Kind.FILE, path), media_type=_OCTETS)


@get(
    "/api/v1/versions/{version_id:str}/archive.zip",
    needs=Acl.CONTENT_READ,
    raises=_FAILS,
    media_type="application/zip",
    ranges=True,
)
async def fetch_archive(request: AnyRequest, version_id: str, actor: Actor, downloads: Downloads) -> Response[bytes]:
    """Fetch the installation as a ZIP archive."""
    return await _fetch(request, downloads, actor, version_id, Wanted(Kind.ARCHIVE), media_type="application/zip")


@get(
    "/api/v1/patches/{set_id:str}",
    needs=Acl.CONTENT_READ,
    raises=[PatchSetUnknown, PreconditionFailed, RangeNotSatisfiable, TooManyDownloads],
    media_type=_OCTETS,
    ranges=True,
)
async def fetch_patches(request: AnyRequest, set_id: str, actor: Actor, downloads: Downloads) -> Response[bytes]:
    """Fetch the bytes of a set of patches, most likely in parts."""
    stored = await downloads.find_patches(actor, set_id)
    body = FileBody(ServedFile(0, stored.key, stored.size, 0, 0, 0, b""))
    headers = {"Cache-Control": "private, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
    sender = Sender(downloads.threads.of(_OWN_DISK), BlobOpener(downloads.patches.blobs), lambda _: None)
    found = Representation(body, stored.etag, _OCTETS, headers)
    try:
        return await sender.answer(request, found, admit=partial(downloads.traffic.admit, actor, stored.version_id))
    except ContentGone:
        raise PatchSetUnknown from None


async def _compress(downloads: Downloads, actor: Actor, version_id: str, wanted: ContentQuery) -> Response[Any]:
    item = await downloads.find(actor, version_id, Wanted(Kind.CONTENT))
    pieces = downloads.frames(item, start=wanted.start, end=wanted.end)
    headers = {"ETag": f'"{item.etag}"', "Accept-Ranges": "none", "Cache-Control": "private, no-store"}
    end = item.body.size if wanted.end is None else wanted.end
    passage = await downloads.traffic.admit(actor, version_id, end - wanted.start)
    with _explained():
        making = await Making.begin(pieces, threads=downloads.compressing, passage=passage)
    return Streamed(making, headers=headers, media_type="application/zstd")


async def _fetch(
    request: AnyRequest, downloads: Downloads, actor: Actor, version_id: str, wanted: Wanted, *, media_type: str
) -> Response[Any]:
    item = await downloads.find(actor, version_id, wanted)
    headers = {
        "Cache-Control": "private, no-cache",
        "Content-Disposition": disposition(item.name),
        "X-Content-Type-Options": "nosniff",
    }
    sender = Sender(downloads.threads_for(item), downloads.opener(item), partial(downloads.report, item))
    found = Representation(item.body, item.etag, media_type, headers)
    with _explained():
        if can_take_over(request) and (address := await downloads.address_in_front(actor, item)):
            count = partial(downloads.traffic.count_in_front, actor, version_id)
            return hand_over(request, found, address, count=count)
        return await sender.answer(request, found, admit=partial(downloads.traffic.admit, actor, version_id))


@contextmanager
def _explained() -> Iterator[None]:
    """Say in the service's own errors why files are not given out."""
    try:
        yield
    except ContentGone as gone:
        raise ContentChanged(gone.file.path, gone.fault) from None
    except PlaceAway:
        raise ContentAway from None
    except CacheFull:
        raise StorageUnusable(_NO_ROOM) from None
    except OSError as error:
        _log.error("a file could not be opened", reason=str(error))
        raise StorageUnusable(passing_fault(error) or _DISK_FAILED) from None


ROUTES = (list_versions, fetch_manifest, fetch_content, fetch_file, fetch_archive, fetch_patches)
