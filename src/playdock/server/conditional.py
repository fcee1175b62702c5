"""Responses with an ETag, and 304 for callers that have the current state (RFC 9110, sections 8.8.3 and 13.1.2)."""

from collections.abc import Callable, Mapping
from typing import Any

from litestar import Response

from playdock.kit.conditions import is_unchanged
from playdock.server.routing import AnyRequest

Headers = Mapping[str, str]


def unless_unchanged(
    request: AnyRequest, etag: str, *, headers: Headers, respond: Callable[[Headers], Response[Any]]
) -> Response[Any]:
    """Return the result of ``respond``, called with the headers including the ETag, or 304 with these headers.

    ``etag`` is without quotes. ``respond`` is called only if the body is sent.
    """
    validated = {**headers, "ETag": f'"{etag}"'}
    if is_unchanged(request.headers.get("if-none-match"), etag):
        return Response(b"", status_code=304, headers=validated)
    return respond(validated)
