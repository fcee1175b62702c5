"""Headers of all responses that make browsers handle them safely.

The server adds `server_headers` to whatever it sends, also to responses that do not reach the application. The content
security policy differs between responses, so `DefaultPolicy` adds it to those that have none.
"""

from collections.abc import Sequence

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from msgspec import Struct

# For everything that is not a page: it loads nothing, runs no scripts and is not shown in a frame.
DEFAULT_POLICY = (
    b"content-security-policy",
    b"default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
)
# Browsers remember it for a year, which is the least that their preload lists require.
_HTTPS_ONLY = ("Strict-Transport-Security", "max-age=31536000; includeSubDomains")


def server_headers(*, secure: bool) -> Sequence[tuple[str, str]]:
    """Return the headers of all responses; ``secure`` is whether users reach the service over https."""
    return [("X-Content-Type-Options", "nosniff"), *([_HTTPS_ONLY] if secure else [])]


class DefaultPolicy(Struct, frozen=True):
    """ASGI middleware that adds the default content security policy to responses without one."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self.app(scope, receive, send)
            return

        async def send_with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                if not any(name == DEFAULT_POLICY[0] for name, _ in headers):
                    message["headers"] = [*headers, DEFAULT_POLICY]
            await send(message)

        await self.app(scope, receive, send_with_policy)
