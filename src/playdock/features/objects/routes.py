"""``/api/v1/object/{id}``: the bytes, with rights and ETags (decisions 7)."""

from litestar import Response

from playdock.auth.errors import SignInNeeded
from playdock.features.objects.errors import ObjectUnknown
from playdock.features.objects.service import Objects
from playdock.http.routing import AnyRequest, Caller, actor_of, get
from playdock.kit.conditions import is_unchanged


@get(
    "/api/v1/object/{object_id:str}",
    needs=Caller.ANYBODY,
    raises=[SignInNeeded, ObjectUnknown],
    media_type="image/webp",
    with_head=True,
)
def fetch_object(request: AnyRequest, object_id: str, objects: Objects) -> Response[bytes]:
    """Fetch an object, such as a profile picture."""
    found = objects.describe(actor_of(request), object_id)
    headers = {
        "ETag": f'"{found.etag}"',
        "Cache-Control": "private, max-age=31536000, immutable",
        "X-Content-Type-Options": "nosniff",
    }
    if is_unchanged(request.headers.get("if-none-match"), found.etag):
        return Response(b"", status_code=304, headers=headers)
    return Response(objects.read(found), media_type=found.media_type, headers=headers)


ROUTES = (fetch_object,)
