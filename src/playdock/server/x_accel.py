"""Files that the reverse proxy sends itself, from a path in the response (X-Accel-Redirect of nginx).

The proxy announces this by adding ``X-Sendfile-Type: X-Accel-Redirect`` to requests. Requests without it get the bytes
from the service.
"""

from collections.abc import Callable

from litestar import Response

from playdock.server.file_response import Representation, select_range
from playdock.server.routing import AnyRequest

# The headers that depend on the ETag, which the proxy does not know when it evaluates them.
_CONDITIONS = ("if-match", "if-none-match", "if-modified-since", "if-unmodified-since")


def can_delegate(request: AnyRequest) -> bool:
    """Return whether the reverse proxy can respond to a request for a file."""
    announced = request.headers.get("x-sendfile-type", "").lower() == "x-accel-redirect"
    return announced and request.method == "GET" and not any(name in request.headers for name in _CONDITIONS)


def delegate(
    request: AnyRequest, resource: Representation, path: str, *, count: Callable[[int], None]
) -> Response[bytes]:
    """Return a response that makes the reverse proxy send the file at ``path``, evaluating Range and If-Range.

    ``count`` is called with the number of bytes that the proxy will send.

    Raises:
        RangeNotSatisfiable: the requested range is beyond the end.
    """
    selected = select_range(request.method, request.headers, resource)
    if selected.part:
        count(selected.part.content)
    headers = {"ETag": f'"{resource.etag}"', **resource.headers, "X-Accel-Redirect": path}
    return Response(b"", headers=headers, media_type=resource.media_type)
