"""Files that the web server in front sends itself: it is told where they lie (nginx's X-Accel-Redirect).

The web server says that it can by ``X-Sendfile-Type: X-Accel-Redirect``, which it adds to requests. Whoever comes past
it gets the bytes from the service.
"""

from collections.abc import Callable

from litestar import Response

from playdock.http.routing import AnyRequest
from playdock.http.sending import Representation, choose

# What these ask depends on our ETag, which the web server does not know when it decides on them.
_CONDITIONS = ("if-match", "if-none-match", "if-modified-since", "if-unmodified-since")


def can_take_over(request: AnyRequest) -> bool:
    """Tell whether the web server in front can answer a request for a file."""
    announced = request.headers.get("x-sendfile-type", "").lower() == "x-accel-redirect"
    return announced and request.method == "GET" and not any(name in request.headers for name in _CONDITIONS)


def hand_over(
    request: AnyRequest, found: Representation, address: str, *, count: Callable[[int], None]
) -> Response[bytes]:
    """Tell the web server in front where a file lies; it heeds ``Range`` and ``If-Range``.

    ``count`` is told how many bytes it is going to send.

    Raises:
        RangeNotSatisfiable: what is asked for is not there.
    """
    chosen = choose(request.method, request.headers, found)
    if chosen.part:
        count(chosen.part.length)
    headers = {"ETag": f'"{found.etag}"', **found.headers, "X-Accel-Redirect": address}
    return Response(b"", headers=headers, media_type=found.media_type)
