"""``GET /api/v1/admin/import/picture``: the pictures of search results, which pages may not load from elsewhere."""

from anyio import CapacityLimiter, to_thread
from litestar import Response

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.artwork.errors import NoProvidersPicture, PictureAway
from playdock.features.artwork.schemas import PreviewQuery
from playdock.features.artwork.service import Previews
from playdock.http.routing import get
from playdock.pictures.uploads import MEDIA_TYPE


@get(
    "/api/v1/admin/import/picture",
    needs=Acl.IMPORT_GAME,
    raises=[NoProvidersPicture, PictureAway],
    media_type=MEDIA_TYPE,
    answer=bytes,
)
async def show_preview(
    asked: PreviewQuery, actor: Actor, previews: Previews, preview_threads: CapacityLimiter
) -> Response[bytes]:
    """Show a search result's picture, small: at most 320 pixels wide and high."""
    picture = await to_thread.run_sync(previews.show, actor, asked.url, limiter=preview_threads)
    headers = {"Cache-Control": "private, max-age=86400", "X-Content-Type-Options": "nosniff"}
    return Response(picture, media_type=MEDIA_TYPE, headers=headers)


ROUTES = (show_preview,)
