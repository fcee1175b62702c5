"""``/api/v1/games/{id}/versions``, ``/api/v1/versions/{id}``, ``/api/v1/patches/{id}`` and ``/api/v1/user/limits``."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import structlog
from anyio import to_thread
from litestar import Response
from litestar.response import Stream

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.bodies import FileBody
from playdock.content.file_table import ServedFile
from playdock.domain.games.errors import FileUnknown, GameUnknown, VersionUnknown
from playdock.domain.games.schemas import VersionResponse
from playdock.domain.installations.errors import LayerMissing
from playdock.features.downloads.errors import (
    ContentChanged,
    ContentReplaced,
    ContentUnavailable,
    ContentUnpacking,
    ManifestMissing,
)
from playdock.features.downloads.rules import ContentRequest, Kind
from playdock.features.downloads.schemas import ContentQuery, LimitsResponse, ManifestResponse
from playdock.features.downloads.service import Downloadable, Downloads
from playdock.features.links.errors import LinkUsedUp
from playdock.features.patches.errors import PatchSetUnknown
from playdock.kit.content_encoding import choose_encoding, headers_of
from playdock.kit.disposition import attachment
from playdock.kit.errors import PreconditionFailed, RangeNotSatisfiable
from playdock.kit.storage_failures import StorageUnusable, retryable_storage_failure
from playdock.sending.files import ContentMismatch, LocationUnavailable
from playdock.sending.limits import TooManyDownloads
from playdock.server.conditional import Headers, unless_unchanged
from playdock.server.file_response import Representation, Sender
from playdock.server.object_threads import ObjectThreads
from playdock.server.redirects import can_redirect, redirect
from playdock.server.routing import AnyRequest, get
from playdock.server.streaming_response import StreamingBody, StreamingResponse
from playdock.server.x_accel import can_delegate, delegate
from playdock.storage.archives import Unpacking
from playdock.storage.file_cache import CacheFull
from playdock.storage.openers import BlobOpener

_log = structlog.get_logger()

_NO_ROOM = "Too many files from archives are being downloaded. Try again later."
_DISK_FAILED = "One of the server's disks has failed. Ask an admin to check the server's log for the reason."
_OWN_DISK = "objects"
# "private", because a cache that does not check tickets must store nothing.
_IMMUTABLE = "private, max-age=31536000, immutable"
OCTETS = "application/octet-stream"
_FAILS = (
    VersionUnknown,
    ContentChanged,
    PreconditionFailed,
    RangeNotSatisfiable,
    LayerMissing,
    ContentUnavailable,
    ContentUnpacking,
    StorageUnusable,
    TooManyDownloads,
    LinkUsedUp,
)


@get("/api/v1/games/{game_id:str}/versions", requires=Permission.CONTENT_READ, raises=[GameUnknown])
def list_versions(game_id: str, actor: Actor, downloads: Downloads) -> list[VersionResponse]:
    """List the versions of a game, oldest first."""
    return [VersionResponse.of(row) for row in downloads.versions(actor, game_id)]


@get(
    "/api/v1/versions/{version_id:str}/manifest",
    requires=Permission.CONTENT_READ,
    raises=[VersionUnknown, ManifestMissing],
    response_type=ManifestResponse,
    with_head=True,
)
async def fetch_manifest(
    request: AnyRequest, version_id: str, actor: Actor, downloads: Downloads, threads: ObjectThreads
) -> Response[Any]:
    """Fetch the manifest of a version's installation: all files, links and chunks."""
    return await threads.run(partial(_show_manifest, request, version_id, actor, downloads))


def _show_manifest(request: AnyRequest, version_id: str, actor: Actor, downloads: Downloads) -> Response[Any]:
    version = downloads.version(actor, version_id)
    encoding = choose_encoding(request.headers.get("accept-encoding"))

    def respond(headers: Headers) -> Stream:
        pieces = () if request.method == "HEAD" else downloads.manifest(version, encoding)
        return Stream(pieces, headers=headers, media_type="application/json")

    headers = {"Cache-Control": "private, no-cache", **headers_of(encoding)}
    return unless_unchanged(request, version.manifest_etag, headers=headers, respond=respond)


@get(
    "/api/v1/versions/{version_id:str}/content",
    requires=Permission.CONTENT_READ,
    raises=_FAILS,
    media_type=OCTETS,
    alternative_type="application/zstd",
    ranges=True,
)
async def fetch_content(
    request: AnyRequest, version_id: str, query: ContentQuery, actor: Actor, downloads: Downloads
) -> Response[bytes]:
    """Fetch the version's own files, concatenated."""
    if query.frames and request.method == "GET":
        return await _compress(downloads, actor, version_id, query)
    return await _fetch(request, downloads, actor, version_id, ContentRequest(Kind.CONTENT), media_type=OCTETS)


@get(
    "/api/v1/versions/{version_id:str}/content/{etag:str}",
    requires=Permission.CONTENT_READ,
    raises=[*_FAILS, ContentReplaced],
    media_type=OCTETS,
    ranges=True,
)
async def fetch_immutable_content(
    request: AnyRequest, version_id: str, etag: str, actor: Actor, downloads: Downloads
) -> Response[bytes]:
    """Fetch the version's own files, concatenated, if they still have this ETag. For mirrors."""
    item = await downloads.find(actor, version_id, ContentRequest(Kind.CONTENT))
    if item.etag != etag:
        raise ContentReplaced
    found = representation(item, OCTETS, cache=_IMMUTABLE)
    return await send(request, downloads, actor, item, found)


@get(
    "/api/v1/versions/{version_id:str}/files/{path:path}",
    requires=Permission.CONTENT_READ,
    raises=[*_FAILS, FileUnknown],
    media_type=OCTETS,
    ranges=True,
)
async def fetch_file(
    request: AnyRequest, version_id: str, path: str, actor: Actor, downloads: Downloads
) -> Response[bytes]:
    """Fetch a single file of the installation. Browsers may be redirected to a short-lived link of an S3 server."""
    return await _fetch(request, downloads, actor, version_id, ContentRequest(Kind.FILE, path), media_type=OCTETS)


@get(
    "/api/v1/versions/{version_id:str}/archive.zip",
    requires=Permission.CONTENT_READ,
    raises=_FAILS,
    media_type="application/zip",
    ranges=True,
)
async def fetch_archive(request: AnyRequest, version_id: str, actor: Actor, downloads: Downloads) -> Response[bytes]:
    """Fetch the installation as a ZIP archive."""
    return await _fetch(
        request, downloads, actor, version_id, ContentRequest(Kind.ARCHIVE), media_type="application/zip"
    )


@get(
    "/api/v1/patches/{set_id:str}",
    requires=Permission.CONTENT_READ,
    raises=[PatchSetUnknown, PreconditionFailed, RangeNotSatisfiable, TooManyDownloads],
    media_type=OCTETS,
    ranges=True,
)
async def fetch_patches(request: AnyRequest, set_id: str, actor: Actor, downloads: Downloads) -> Response[bytes]:
    """Fetch the bytes of a set of patches, usually in ranges."""
    stored = await downloads.find_patches(actor, set_id)
    body = FileBody(ServedFile(0, stored.key, stored.size, 0, 0, 0, b""))
    headers = {"Cache-Control": _IMMUTABLE}
    sender = Sender(downloads.threads.of(_OWN_DISK), BlobOpener(downloads.patches.blobs), lambda _: None)
    found = Representation(body, stored.etag, OCTETS, headers)
    try:
        return await sender.respond(request, found, admit=partial(downloads.transfers.admit, actor, stored.version_id))
    except ContentMismatch:
        await to_thread.run_sync(downloads.patches.forget, set_id)
        raise PatchSetUnknown from None


async def _compress(downloads: Downloads, actor: Actor, version_id: str, query: ContentQuery) -> Response[Any]:
    item = await downloads.find(actor, version_id, ContentRequest(Kind.CONTENT))
    pieces = downloads.frames(item, start=query.start, end=query.end)
    headers = {"ETag": f'"{item.etag}"', "Accept-Ranges": "none", "Cache-Control": "private, no-store"}
    end = item.body.size if query.end is None else query.end
    permit = await downloads.transfers.admit(actor, version_id, end - query.start)
    with storage_errors_translated():
        body = await StreamingBody.begin(pieces, threads=downloads.compressing_threads_for(item), permit=permit)
    return StreamingResponse(body, headers=headers, media_type="application/zstd")


def representation(item: Downloadable, media_type: str, *, cache: str = "private, no-cache") -> Representation:
    """Return the HTTP representation of a downloadable."""
    headers = {"Cache-Control": cache, "Content-Disposition": attachment(item.name)}
    return Representation(item.body, item.etag, media_type, headers)


def sender_of(downloads: Downloads, item: Downloadable) -> Sender:
    """Return the sender of a downloadable."""
    return Sender(downloads.threads_for(item), downloads.opener(item), partial(downloads.report, item))


async def _fetch(
    request: AnyRequest, downloads: Downloads, actor: Actor, version_id: str, query: ContentRequest, *, media_type: str
) -> Response[Any]:
    item = await downloads.find(actor, version_id, query)
    found = representation(item, media_type)
    with storage_errors_translated():
        if can_redirect(request) and (link := await downloads.elsewhere(actor, item, by_proxy=False)):
            count = partial(downloads.transfers.record_by_proxy, actor, version_id)
            return redirect(request, found, link, count=count)
    return await send(request, downloads, actor, item, found)


async def send(
    request: AnyRequest, downloads: Downloads, actor: Actor, item: Downloadable, found: Representation
) -> Response[Any]:
    """Return the response with a representation of a downloadable."""
    sender, version_id = sender_of(downloads, item), item.version.version_id
    with storage_errors_translated():
        if can_delegate(request) and (address := await downloads.elsewhere(actor, item, by_proxy=True)):
            count = partial(downloads.transfers.record_by_proxy, actor, version_id)
            return delegate(request, found, address, count=count)
        return await sender.respond(request, found, admit=partial(downloads.transfers.admit, actor, version_id))


@contextmanager
def storage_errors_translated() -> Iterator[None]:
    """Translate errors of the storage into the errors of this interface."""
    try:
        yield
    except ContentMismatch as mismatch:
        raise ContentChanged(mismatch.file.path, mismatch.fault) from None
    except LocationUnavailable:
        raise ContentUnavailable from None
    except Unpacking as progress:
        raise ContentUnpacking(progress.percent) from None
    except CacheFull:
        raise StorageUnusable(_NO_ROOM) from None
    except OSError as error:
        _log.error("a file could not be opened", reason=str(error))
        raise StorageUnusable(retryable_storage_failure(error) or _DISK_FAILED) from None


@get("/api/v1/user/limits", requires=Permission.CONTENT_READ)
async def show_limits(actor: Actor, downloads: Downloads) -> LimitsResponse:
    """Return the caller's download limits, and the number of running transfers."""
    transfers = downloads.transfers
    return LimitsResponse.of(transfers.limit_status(actor), server=transfers.server_limit_status)


ROUTES = (
    list_versions,
    fetch_manifest,
    fetch_content,
    fetch_immutable_content,
    fetch_file,
    fetch_archive,
    fetch_patches,
    show_limits,
)
