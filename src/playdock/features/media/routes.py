"""Fetching stored objects and previews."""

from functools import partial

from anyio import to_thread
from litestar import Response

from playdock.auth.actor import Actor
from playdock.auth.errors import SignInRequired
from playdock.auth.permissions import Permission
from playdock.domain.objects.errors import ObjectUnknown
from playdock.domain.objects.service import Objects
from playdock.features.media.errors import ImageUnavailable, NotAProviderImage
from playdock.features.media.schemas import PreviewQuery
from playdock.features.media.service import Previews, PreviewThreads
from playdock.pictures.images import MEDIA_TYPE
from playdock.server.conditional import unless_unchanged
from playdock.server.object_threads import ObjectThreads
from playdock.server.routing import AnyRequest, Caller, actor_of, get


@get(
    "/api/v1/object/{object_id:str}",
    requires=Caller.ANYBODY,
    raises=[SignInRequired, ObjectUnknown],
    media_type="image/webp",
    with_head=True,
)
async def fetch_object(
    request: AnyRequest, object_id: str, objects: Objects, threads: ObjectThreads
) -> Response[bytes]:
    """Fetch an object, such as a profile picture."""
    return await threads.run(partial(_show, request, object_id, objects))


def _show(request: AnyRequest, object_id: str, objects: Objects) -> Response[bytes]:
    row = objects.describe(actor_of(request), object_id)
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return unless_unchanged(
        request,
        row.etag,
        headers=headers,
        respond=lambda headers: Response(objects.read(row), media_type=row.media_type, headers=headers),
    )


@get(
    "/api/v1/admin/import/picture",
    requires=Permission.IMPORT_GAME,
    raises=[NotAProviderImage, ImageUnavailable],
    media_type=MEDIA_TYPE,
    response_type=bytes,
)
async def show_preview(
    query: PreviewQuery, actor: Actor, previews: Previews, threads: PreviewThreads
) -> Response[bytes]:
    """Return a preview of a search result's picture: at most 320 pixels wide and high."""
    return _preview(await to_thread.run_sync(previews.show, actor, query.url, limiter=threads))


@get(
    "/api/v1/requests/picture",
    requires=Permission.REQUEST_READ,
    raises=[NotAProviderImage, ImageUnavailable],
    media_type=MEDIA_TYPE,
    response_type=bytes,
)
async def show_requestable_preview(
    query: PreviewQuery, actor: Actor, previews: Previews, threads: PreviewThreads
) -> Response[bytes]:
    """Return a preview of the picture of a game to request: at most 320 pixels wide and high."""
    return _preview(await to_thread.run_sync(previews.show_requestable, actor, query.url, limiter=threads))


def _preview(picture: bytes) -> Response[bytes]:
    return Response(picture, media_type=MEDIA_TYPE, headers={"Cache-Control": "private, max-age=86400"})


ROUTES = (fetch_object, show_preview, show_requestable_preview)
