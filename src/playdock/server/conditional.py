"""Responses with an ETag, and 304 for callers that have the current state (RFC 9110, sections 8.8.3 and 13.1.2)."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from blake3 import blake3
from litestar import Response

from playdock.kit.conditions import is_unchanged
from playdock.kit.content_encoding import ContentEncoding, choose_encoding, encode, headers_of
from playdock.server.routing import AnyRequest

Headers = Mapping[str, str]
# Below one packet of data, compression saves no time.
_MIN_COMPRESSED_BYTES = 1024


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


def validated_json(request: AnyRequest, content: Any) -> Response[bytes]:
    """Return JSON with an ETag, compressed: pages and programs request the same long lists again and again."""
    return validated(request, msgspec.json.encode(content), media_type="application/json")


def validated(request: AnyRequest, body: bytes, *, media_type: str) -> Response[bytes]:
    """Return a body with an ETag, compressed."""
    accepted = choose_encoding(request.headers.get("accept-encoding"))
    coding = accepted if len(body) >= _MIN_COMPRESSED_BYTES else ContentEncoding.IDENTITY
    etag = f"{blake3(body).hexdigest()}-{coding}"
    return unless_unchanged(
        request,
        etag,
        headers={"Cache-Control": "private, no-cache", **headers_of(coding)},
        respond=lambda headers: Response(encode(body, coding), headers=headers, media_type=media_type),
    )
