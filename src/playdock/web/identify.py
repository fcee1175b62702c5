"""Authentication of requests, before they reach the routes.

A bearer token in the ``Authorization`` header takes precedence over the session cookie. Drop's clients sign requests to
their own paths instead. Without a token or a cookie, the query of a
download request may contain the secret of a signed link, which is valid only for its own path. Requests that rely on
the cookie are rejected if a page of another site made them. Then requests are counted for the user or the network.
"""

from collections.abc import Mapping
from typing import Any

from litestar.connection import ASGIConnection
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from playdock.auth.actor import Actor
from playdock.auth.errors import ForeignOrigin
from playdock.auth.resolver import LINK_PREFIX, CredentialResolver
from playdock.auth.signed_headers import SignedHeader, is_drop_path
from playdock.kit.networks import networks_of
from playdock.kit.security_log import RequestOrigin, SecurityLog, set_origin
from playdock.server import cookies, origins
from playdock.server.exchanges import exchange_of
from playdock.server.request_rate import RequestRate, is_counted
from playdock.server.routing import address_of
from playdock.settings import Settings

_SCHEME = "bearer "
_DOWNLOAD_METHODS = ("GET", "HEAD")
_LINK_PATHS = "/api/v1/versions/"


class AuthenticationMiddleware:
    """ASGI middleware that puts the actor into ``scope["user"]`` and the secret into ``scope["auth"]``, or None."""

    def __init__(
        self,
        app: ASGIApp,
        credentials: CredentialResolver,
        request_rate: RequestRate,
        security_log: SecurityLog,
        settings: Settings,
    ) -> None:
        self._app = app
        self._credentials = credentials
        self._request_rate = request_rate
        self._security_log = security_log
        self._own = settings.origin
        self._cookie = cookies.full_name(cookies.NAME, settings=settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection: ASGIConnection[Any, Any, Any, Any] = ASGIConnection(scope)
        networks = networks_of(address_of(connection))
        exchange = exchange_of(scope)
        origin = RequestOrigin(self._security_log, networks[0])
        set_origin(origin)
        if exchange:
            exchange.route = scope.get("path_template", "")
        bearer = bearer_of(connection.headers)
        if bearer is None and self._is_foreign(scope, connection.headers):
            raise ForeignOrigin
        secret = connection.cookies.get(self._cookie) if bearer is None else bearer
        actor = await self._find(secret, scope["path"]) if secret else None
        if actor is None and (link := _link(scope, connection)):
            secret, actor = link, await self._find(link, scope["path"])
        if actor is None and bearer is None and is_drop_path(scope["path"]):
            actor = await self._find_signer(connection.headers.get("authorization", ""))
        scope["auth"], scope["user"] = secret, actor
        if actor is not None:
            origin.caller = actor.user.id
            if exchange:
                exchange.caller = actor.user.id
        if scope["type"] == ScopeType.HTTP and is_counted(scope["method"], scope["path"]):
            # The largest network, because a client with a /48 can send each request from another /64.
            self._request_rate.count(actor.user.id if actor else networks[-1])
        await self._app(scope, receive, send)

    async def _find(self, secret: str, path: str) -> Actor | None:
        actor = await self._credentials.find(secret)
        return actor if actor and actor.credential.opens(path) else None

    async def _find_signer(self, header: str) -> Actor | None:
        """Return the device that signed a request, None if no device signed it."""
        signed = SignedHeader.parse(header)
        return await self._credentials.find_signer(signed) if signed else None

    def _is_foreign(self, scope: Scope, headers: Mapping[str, str]) -> bool:
        if scope["type"] == ScopeType.HTTP:
            return origins.is_foreign(scope["method"], headers, own=self._own)
        return origins.is_foreign_page(headers, own=self._own)


def _link(scope: Scope, connection: ASGIConnection[Any, Any, Any, Any]) -> str | None:
    """Return the secret of a signed link. Other secrets are not accepted in URLs, because logs may contain URLs."""
    if (
        scope["type"] != ScopeType.HTTP
        or scope["method"] not in _DOWNLOAD_METHODS
        or not scope["path"].startswith(_LINK_PATHS)
    ):
        return None
    secret: str = connection.query_params.get("link", "")
    return secret if secret.startswith(f"{LINK_PREFIX}_") else None


def bearer_of(headers: Mapping[str, str]) -> str | None:
    """Return the token of an ``Authorization`` header, None if the header is absent or has another scheme.

    Other schemes are ignored, because browsers add them automatically for a web server in front of the service.
    """
    header = headers.get("authorization", "")
    return header[len(_SCHEME) :].strip() if header.lower().startswith(_SCHEME) else None
