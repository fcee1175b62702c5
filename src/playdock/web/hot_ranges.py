"""Responses to requests for short ranges in memory, before the framework's routing.

The client downloads games in many short ranges. What their requests have in common is a `_Template`. The rest is
decided for every request, with the same permissions, limits and checks as in the route: whether the credential is still
valid, whether a transfer may start, and whether the file is unchanged. If the range is in the page cache too, the
response is created here. All other requests and all errors are left to the framework.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Self, TypeAlias

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPResponseStartEvent, HTTPScope, Receive, Scope, Send
from msgspec import Struct

from playdock.auth.resolver import CredentialResolver
from playdock.content.bodies import ContentBody
from playdock.db.database import Database
from playdock.db.revisions import Numbers
from playdock.features.downloads.routes import OCTETS, representation, sender_of
from playdock.features.downloads.rules import ContentRequest, Kind
from playdock.features.downloads.service import Downloadable, Downloads
from playdock.kit.errors import PlaydockError
from playdock.kit.ranges import Unsatisfiable, parse_range
from playdock.sending.limits import TransferPermit
from playdock.server.exchanges import Exchange, exchange_of
from playdock.server.file_response import MAX_SHORT_BYTES, Part, PartSending, select_range
from playdock.server.readiness import Readiness
from playdock.server.repeated_requests import ReadyResponse, offer_to_repeat
from playdock.server.security_headers import DEFAULT_POLICY
from playdock.storage.page_cache import read_cached
from playdock.web.identify import bearer_of

_PATH = re.compile(r"/api/v1/versions/([^/]+)/(?:content|files/(.+))", re.DOTALL)
# The templates of the paths, as the framework names them.
_ROUTES = {
    Kind.CONTENT: "/api/v1/versions/{version_id}/content",
    Kind.FILE: "/api/v1/versions/{version_id}/files/{path}",
}
# With these headers the reverse proxy may send the file itself, or the server handles a body or another protocol.
_UNSUPPORTED_HEADERS = frozenset(("x-sendfile-type", "expect", "upgrade", "content-length", "transfer-encoding"))
_STATUS = 206
_STATUS_LINE = b"HTTP/1.1 206 Partial Content\r\n"

_Headers: TypeAlias = Sequence[tuple[bytes, bytes]]


class _Request(Struct, frozen=True):
    """A request that may be for a hot range; the names of the headers are in lower case."""

    path: str
    version_id: str
    content: ContentRequest
    headers: Mapping[str, str]

    @classmethod
    def of(cls, scope: HTTPScope) -> Self | None:
        match = _PATH.fullmatch(scope["path"]) if scope["method"] == "GET" and not scope["query_string"] else None
        headers = _headers(scope) if match else None
        if match is None or headers is None or "range" not in headers:
            return None
        content = ContentRequest(Kind.CONTENT) if match[2] is None else ContentRequest(Kind.FILE, match[2])
        return cls(match[0], match[1], content, headers)


class _Template(Struct, frozen=True):
    """What requests have in common that differ only in their range.

    ``headers`` are those of the response that do not depend on the range, and ``lines`` the same as they are sent.
    ``revision`` is that of the content from which the template was created.
    """

    revision: int
    path: str
    route: str
    secret: str
    user_id: str
    item: Downloadable
    headers: _Headers
    lines: bytes

    def head(self, part: Part, server_lines: bytes) -> bytes:
        """Return the complete header of a response."""
        return b"".join((_STATUS_LINE, server_lines, self.lines, _lines(_range_headers(part)), b"\r\n"))


class _HotRange(Struct, frozen=True):
    """A part with its bytes and the permit to send them."""

    template: _Template
    part: Part
    permit: TransferPermit
    data: bytearray


class HotRanges(Struct):
    """An ASGI application in front of the framework's.

    ``answered`` is the number of responses created here, ``repeated`` of those whose request was not parsed.
    """

    app: ASGIApp
    db: Database
    credentials: CredentialResolver
    downloads: Downloads
    readiness: Readiness
    answered: int = 0
    repeated: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        hot = await self._find(scope) if scope["type"] == ScopeType.HTTP else None
        if hot is None:
            await self.app(scope, receive, send)
            return
        exchange = exchange_of(scope)
        if exchange:
            exchange.route, exchange.caller = hot.template.route, hot.template.user_id
        if exchange is None or exchange.may_be_repeated:
            offer_to_repeat(scope, partial(self._repeat, hot.template, exchange))
        headers = [*hot.template.headers, *_range_headers(hot.part)]
        start = HTTPResponseStartEvent(type="http.response.start", status=_STATUS, headers=headers)
        sending = PartSending(sender_of(self.downloads, hot.template.item), hot.part, hot.permit, hot.data)
        await sending.send(start, scope, receive, send)

    async def _find(self, scope: HTTPScope) -> _HotRange | None:
        request = _Request.of(scope)
        numbers = await self.db.revisions.latest() if request else None
        if request is None or numbers is None:
            return None
        try:
            template = self._template(request, numbers)
            return self._read(template, request.headers["range"], numbers) if template else None
        except PlaydockError:
            return None

    def _repeat(
        self, template: _Template, exchange: Exchange | None, requested: bytes, server_lines: bytes
    ) -> ReadyResponse | None:
        """Respond to a request that differs only in its range from the one that the template was created for."""
        began = perf_counter()
        numbers = None if self.readiness.is_draining else self.db.revisions.known()
        if numbers is None or numbers.content != template.revision:
            return None
        try:
            hot = self._read(template, requested.decode("latin-1"), numbers, server_lines)
        except PlaydockError:
            return None
        if hot is None:
            return None
        self.repeated += 1
        hot.permit.record(hot.part.length, hot.part.length)
        if exchange:
            exchange.record_repetition(_STATUS, hot.part.length, began=began)
        return ReadyResponse(hot.data, hot.permit)

    def _template(self, request: _Request, numbers: Numbers) -> _Template | None:
        """Return the template of a request if its caller and version are cached.

        Raises:
            PermissionMissing, FileUnknown, PreconditionFailed, RangeNotSatisfiable: the route responds with this error.
        """
        secret = bearer_of(request.headers)
        actor = self.credentials.cached_at(numbers, secret) if secret else None
        if secret is None or actor is None:
            return None
        item = self.downloads.find_cached(actor, numbers, request.version_id, request.content)
        if item is None or item.version.packed:
            return None
        # All ranges have the same preconditions, and the same headers except Content-Range.
        selected = select_range("GET", {**request.headers, "range": "bytes=0-0"}, representation(item, OCTETS))
        if selected.status != _STATUS:
            return None
        fields = {**selected.headers, "Content-Type": selected.media_type}
        del fields["Content-Range"]
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in fields.items()]
        headers.append(DEFAULT_POLICY)
        route, user_id = _ROUTES[request.content.kind], actor.user.id
        return _Template(numbers.content, request.path, route, secret, user_id, item, headers, _lines(headers))

    def _read(
        self, template: _Template, requested: str, numbers: Numbers, server_lines: bytes | None = None
    ) -> _HotRange | None:
        """Return a range if it may be sent now and is in memory; with ``server_lines``, after the response's header.

        Raises:
            PermissionMissing: the credential may not download.
        """
        actor, version = self.credentials.cached_at(numbers, template.secret), template.item.version
        part = _short_part(template.item.body, requested)
        if actor is None or part is None or not actor.credential.opens(template.path):
            return None
        permit = self.downloads.transfers.admit_now(actor, version.version_id)
        if permit is None:
            return None
        head = b"" if server_lines is None else template.head(part, server_lines)
        data = bytearray(len(head) + part.length)
        data[: len(head)] = head
        if not read_cached(part.body.pieces(part.start, part.end), version.places, memoryview(data)[len(head) :]):
            permit.release()
            return None
        self.answered += 1
        return _HotRange(template, part, permit, data)


def _headers(scope: HTTPScope) -> dict[str, str] | None:
    """Return the headers of a request, None if one of them is repeated or needs the framework."""
    fields = list(scope["headers"])
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in fields}
    if len(headers) != len(fields) or not _UNSUPPORTED_HEADERS.isdisjoint(headers):
        return None
    return headers


def _short_part(body: ContentBody, requested: str) -> Part | None:
    """Return the part that a ``Range`` header selects, None if it is not one short range."""
    ranges = parse_range(requested, size=body.size)
    if ranges is None or isinstance(ranges, Unsatisfiable) or len(ranges) != 1:
        return None
    part = Part(body, *ranges[0])
    return part if part.length <= MAX_SHORT_BYTES else None


def _range_headers(part: Part) -> _Headers:
    content_range = b"bytes %d-%d/%d" % (part.start, part.end - 1, part.body.size)
    return (b"content-range", content_range), (b"content-length", b"%d" % part.length)


def _lines(headers: _Headers) -> bytes:
    return b"".join(b"%b: %b\r\n" % header for header in headers)
