"""Serving below a path of a host, such as ``https://example.org/games``.

The reverse proxy passes paths unchanged. The path of the external URL is removed here, before everything else, so that
all routes and fast paths are the same as for a service with a host of its own. Whatever creates a URL or path for a
browser adds it again, with `Settings.page` or `Settings.url_path`.
"""

from http import HTTPStatus
from typing import Any, cast

import msgspec
from litestar.enums import ScopeType
from litestar.response.base import ASGIResponse
from litestar.types import ASGIApp, Receive, Scope, Send
from msgspec import Struct

from playdock.server.security_headers import DefaultPolicy
from playdock.web.problems import MEDIA_TYPE, http_problem


def below_path(app: ASGIApp, url_path: str) -> ASGIApp:
    """Return an application for requests below a path; the same application if the path is empty."""
    return BelowPath(app, url_path) if url_path else app


class BelowPath(Struct, frozen=True):
    """ASGI application that removes the path from requests. Requests for other paths get 404."""

    app: ASGIApp
    url_path: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if cast("str", scope["type"]) == "lifespan":
            await self.app(scope, receive, send)
            return
        if not f"{scope['path']}/".startswith(f"{self.url_path}/"):
            await _reject(scope, receive, send)
            return
        path = scope["path"].removeprefix(self.url_path) or "/"
        await self.app(cast("Any", {**scope, "path": path}), receive, send)


async def _reject(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == ScopeType.WEBSOCKET:
        await send({"type": "websocket.close", "code": 1000, "reason": None})
        return
    response = ASGIResponse(
        body=msgspec.json.encode(http_problem(HTTPStatus.NOT_FOUND)),
        status_code=HTTPStatus.NOT_FOUND,
        media_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store"},
    )
    await DefaultPolicy(response)(scope, receive, send)
