"""Finding out who calls, before anything else looks at a request.

A bearer token in the ``Authorization`` header wins over the session cookie. Where neither tells who calls, the query of
a request for bytes may: the secret of a signed link, which opens its own path and no other. What a browser sends on
behalf of another site's page is refused where the cookie would speak for the user.
"""

from collections.abc import Mapping
from typing import Any

from anyio import to_thread
from litestar.connection import ASGIConnection
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from playdock.auth.actor import Actor
from playdock.auth.bearers import LINK_PREFIX, Bearers
from playdock.auth.errors import ForeignOrigin
from playdock.http import cookies, origins

_SCHEME = "bearer "
_FETCHING = ("GET", "HEAD")
_LINKED = "/api/v1/versions/"


class Identify:
    """ASGI middleware that puts the actor into ``scope["user"]`` and the secret into ``scope["auth"]``, or None."""

    def __init__(self, app: ASGIApp, bearers: Bearers, external_url: str) -> None:
        self._app = app
        self._bearers = bearers
        self._external_url = external_url
        self._cookie = cookies.full_name(cookies.NAME, secure=external_url.startswith("https://"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection: ASGIConnection[Any, Any, Any, Any] = ASGIConnection(scope)
        bearer = _bearer(connection.headers)
        if bearer is None and self._is_foreign(scope, connection.headers):
            raise ForeignOrigin
        secret = connection.cookies.get(self._cookie) if bearer is None else bearer
        found = await self._find(secret, scope["path"]) if secret else None
        if found is None and (link := _link(scope, connection)):
            secret, found = link, await self._find(link, scope["path"])
        scope["auth"], scope["user"] = secret, found
        await self._app(scope, receive, send)

    async def _find(self, secret: str, path: str) -> Actor | None:
        found = self._bearers.recall(secret)
        if found is None:
            found = await self._look_up(secret)
        return found if found and found.credential.opens(path) else None

    async def _look_up(self, secret: str) -> Actor | None:
        revision = self._bearers.revision
        found = await to_thread.run_sync(self._bearers.look_up, secret)
        if found is not None:
            self._bearers.remember(secret, found, revision=revision)
        return found

    def _is_foreign(self, scope: Scope, headers: Mapping[str, str]) -> bool:
        if scope["type"] == ScopeType.HTTP:
            return origins.is_foreign(scope["method"], headers, own=self._external_url)
        return origins.is_foreign_page(headers, own=self._external_url)


def _link(scope: Scope, connection: ASGIConnection[Any, Any, Any, Any]) -> str | None:
    """Give the secret of a signed link; no other secret may stand in an address, where logs and others see it."""
    if scope["type"] != ScopeType.HTTP or scope["method"] not in _FETCHING or not scope["path"].startswith(_LINKED):
        return None
    secret: str = connection.query_params.get("link", "")
    return secret if secret.startswith(f"{LINK_PREFIX}_") else None


def _bearer(headers: Mapping[str, str]) -> str | None:
    """Give the secret of an ``Authorization`` header; None if the header is of another scheme.

    Browsers add the schemes of web servers in front by themselves, so those say nothing about who made the call.
    """
    header = headers.get("authorization", "")
    return header[len(_SCHEME) :].strip() if header.lower().startswith(_SCHEME) else None
