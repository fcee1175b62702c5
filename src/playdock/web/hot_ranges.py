"""Responses to requests for short ranges in memory, before the framework's routing.

The client downloads games in many short ranges. What their requests have in common is cached: the caller, the version
and its file table. If the files are also in the page cache, the response is created here, with the same permissions,
limits and checks as in the route. All other requests and all errors are left to the framework.
"""

import re
from collections.abc import Mapping

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPResponseStartEvent, HTTPScope, Receive, Scope, Send
from msgspec import Struct

from playdock.auth.resolver import CredentialResolver
from playdock.content.bodies import MultipartBody
from playdock.features.downloads.routes import OCTETS, representation, sender_of
from playdock.features.downloads.rules import ContentRequest, Kind
from playdock.features.downloads.service import Downloads
from playdock.kit.errors import PlaydockError
from playdock.server.file_response import MAX_SHORT_BYTES, PartSending, SelectedRange, select_range
from playdock.storage.page_cache import read_cached
from playdock.web.identify import bearer_of

_PATH = re.compile(r"/api/v1/versions/([^/]+)/(?:content|files/(.+))", re.DOTALL)
# With these headers the reverse proxy may send the file itself, or the server handles a body or another protocol.
_UNSUPPORTED_HEADERS = frozenset(("x-sendfile-type", "expect", "upgrade"))


class HotRanges(Struct):
    """An ASGI application in front of the framework's; ``answered`` is the number of responses created here."""

    app: ASGIApp
    credentials: CredentialResolver
    downloads: Downloads
    answered: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = await self._find(scope) if scope["type"] == ScopeType.HTTP else None
        if found is None:
            await self.app(scope, receive, send)
            return
        selected, sending = found
        self.answered += 1
        await sending.send(_start(selected, sending), scope, receive, send)

    async def _find(self, scope: HTTPScope) -> tuple[SelectedRange, PartSending] | None:
        match = _PATH.fullmatch(scope["path"]) if scope["method"] == "GET" and not scope["query_string"] else None
        headers = _headers(scope) if match else None
        if match is None or headers is None or "range" not in headers:
            return None
        content = ContentRequest(Kind.CONTENT) if match[2] is None else ContentRequest(Kind.FILE, match[2])
        try:
            return await self._select(scope["path"], match[1], content, headers)
        except PlaydockError:
            return None

    async def _select(
        self, path: str, version_id: str, content: ContentRequest, headers: Mapping[str, str]
    ) -> tuple[SelectedRange, PartSending] | None:
        secret = bearer_of(headers)
        actor = await self.credentials.cached(secret) if secret else None
        if actor is None or not actor.credential.opens(path):
            return None
        item = await self.downloads.find_cached(actor, version_id, content)
        if item is None or item.version.packed:
            return None
        selected = select_range("GET", headers, representation(item, OCTETS))
        part = selected.part
        if part is None or part.length > MAX_SHORT_BYTES or isinstance(part.body, MultipartBody):
            return None
        permit = self.downloads.transfers.admit_now(actor, version_id)
        if permit is None:
            return None
        data = read_cached(part.body.pieces(part.start, part.end), item.version.places)
        if data is None:
            permit.release()
            return None
        return selected, PartSending(sender_of(self.downloads, item), part, permit, data)


def _headers(scope: HTTPScope) -> dict[str, str] | None:
    """Return the headers of a request, None if one of them is repeated or needs the framework."""
    fields = list(scope["headers"])
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in fields}
    if len(headers) != len(fields) or not _UNSUPPORTED_HEADERS.isdisjoint(headers):
        return None
    return headers


def _start(selected: SelectedRange, sending: PartSending) -> HTTPResponseStartEvent:
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in selected.headers.items()]
    headers.append((b"content-type", selected.media_type.encode("latin-1")))
    headers.append((b"content-length", str(sending.part.length).encode("latin-1")))
    return HTTPResponseStartEvent(type="http.response.start", status=selected.status, headers=headers)
