"""Redirects to links of an S3 server, from which browsers download files themselves."""

from collections.abc import Callable

from litestar import Response

from playdock.server.file_response import Representation, select_range
from playdock.server.routing import AnyRequest


def can_redirect(request: AnyRequest) -> bool:
    """Return whether a request comes from a browser, which follows a link.

    Programs with a token would send it to the S3 server too, which refuses a request with two credentials.
    """
    return request.method == "GET" and "authorization" not in request.headers


def redirect(
    request: AnyRequest, resource: Representation, link: str, *, count: Callable[[int], None]
) -> Response[bytes]:
    """Return a redirect to a link that is valid for a short time; without a body if the browser has the file.

    ``count`` is called with the number of bytes that the S3 server will send.

    Raises:
        PreconditionFailed, RangeNotSatisfiable: the file is another one, or the requested range is beyond its end.
    """
    selected = select_range(request.method, request.headers, resource)
    if selected.part is None:
        return Response(b"", status_code=selected.status, headers=selected.headers, media_type=selected.media_type)
    count(selected.part.content)
    headers = {"Location": link, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return Response(b"", status_code=302, headers=headers)
