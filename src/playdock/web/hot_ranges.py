"""Responses to requests for short ranges in memory, before the framework's routing.

The client downloads games in many short ranges. What their requests have in common is a `_Template`. The rest is
decided for every request, with the same permissions, limits and checks as in the route: whether the credential is still
valid, whether a transfer may start, and whether the file is unchanged. If the range is in the page cache too, the
response is created here. All other requests and all errors are left to the framework.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPResponseStartEvent, HTTPScope, Receive, Scope, Send

from playdock.auth.resolver import CredentialResolver
from playdock.db.database import Database
from playdock.db.revisions import Numbers
from playdock.features.downloads.routes import OCTETS, representation, sender_of
from playdock.features.downloads.rules import ContentRequest, Kind
from playdock.features.downloads.service import Downloadable, Downloads
from playdock.kit.errors import PlaydockError
from playdock.kit.ranges import Unsatisfiable, parse_range
from playdock.sending.limits import TransferPermit
from playdock.server.file_response import MAX_SHORT_BYTES, Part, PartSending, select_range
from playdock.server.repeated_requests import ReadyResponse, offer_to_repeat
from playdock.storage.page_cache import read_cached
from playdock.web.identify import bearer_of

_PATH = re.compile(r"/api/v1/versions/([^/]+)/(?:content|files/(.+))", re.DOTALL)
# With these headers the reverse proxy may send the file itself, or the server handles a body or another protocol.
_UNSUPPORTED_HEADERS = frozenset(("x-sendfile-type", "expect", "upgrade", "content-length", "transfer-encoding"))
_STATUS = 206
_STATUS_LINE = b"HTTP/1.1 206 Partial Content\r\n"

_Headers: TypeAlias = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class _Template:
    """What requests have in common that differ only in their range.

    ``headers`` are those of the response that do not depend on the range, and ``lines`` the same as they are sent.
    ``revision`` is that of the content from which the template was created.
    """

    revision: int
    path: str
    secret: str
    item: Downloadable
    headers: _Headers
    lines: bytes


@dataclass(slots=True)
class HotRanges:
    """An ASGI application in front of the framework's; ``answered`` is the number of responses created here."""

    app: ASGIApp
    db: Database
    credentials: CredentialResolver
    downloads: Downloads
    answered: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = await self._find(scope) if scope["type"] == ScopeType.HTTP else None
        if found is None:
            await self.app(scope, receive, send)
            return
        template, sending = found
        offer_to_repeat(scope, partial(self._repeat, template))
        headers = [*template.headers, *_range_headers(sending.part)]
        start = HTTPResponseStartEvent(type="http.response.start", status=_STATUS, headers=headers)
        await sending.send(start, scope, receive, send)

    async def _find(self, scope: HTTPScope) -> tuple[_Template, PartSending] | None:
        """Return the response to a request, None if it is left to the framework."""
        headers = _headers(scope) if scope["method"] == "GET" and not scope["query_string"] else None
        if headers is None or "range" not in headers or not _PATH.fullmatch(scope["path"]):
            return None
        numbers = await self.db.revisions.latest()
        try:
            template = self._template(scope["path"], headers, numbers) if numbers else None
            if template is None or numbers is None:
                return None
            admitted = self._admit(template, headers["range"], numbers)
        except PlaydockError:
            return None
        if admitted is None:
            return None
        part, permit = admitted
        data = self._read(template, part, permit)
        return (template, PartSending(sender_of(self.downloads, template.item), part, permit, data)) if data else None

    def _repeat(self, template: _Template, requested: bytes, server_lines: bytes) -> ReadyResponse | None:
        """Respond to a request that differs only in the range from the one that the template was created from."""
        numbers = self.db.revisions.known()
        if numbers is None or numbers.content != template.revision:
            return None
        try:
            admitted = self._admit(template, requested.decode("latin-1"), numbers)
        except PlaydockError:
            return None
        if admitted is None:
            return None
        part, permit = admitted
        lines = _lines(_range_headers(part))
        data = self._read(template, part, permit, b"".join((_STATUS_LINE, server_lines, template.lines, lines, b"\r\n")))
        if data is None:
            return None
        permit.record(part.length, part.length)
        return ReadyResponse(data, permit)

    def _template(self, path: str, headers: Mapping[str, str], numbers: Numbers) -> _Template | None:
        secret, match = bearer_of(headers), _PATH.fullmatch(path)
        actor = self.credentials.cached_at(numbers, secret) if secret else None
        if secret is None or match is None or actor is None:
            return None
        content = ContentRequest(Kind.CONTENT) if match[2] is None else ContentRequest(Kind.FILE, match[2])
        item = self.downloads.find_cached(actor, numbers, match[1], content)
        if item is None or item.version.packed:
            return None
        # All ranges have the same preconditions, and the same headers except Content-Range.
        selected = select_range("GET", {**headers, "range": "bytes=0-0"}, representation(item, OCTETS))
        if selected.status != _STATUS:
            return None
        fields = {**selected.headers, "Content-Type": selected.media_type}
        del fields["Content-Range"]
        fixed = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in fields.items()]
        return _Template(numbers.content, path, secret, item, fixed, _lines(fixed))

    def _admit(self, template: _Template, requested: str, numbers: Numbers) -> tuple[Part, TransferPermit] | None:
        """Return the part of a short range and a permit to send it.

        Raises:
            PermissionMissing: the credential does not have the permission to download.
        """
        actor, body = self.credentials.cached_at(numbers, template.secret), template.item.body
        if actor is None or not actor.credential.opens(template.path):
            return None
        ranges = parse_range(requested, size=body.size)
        if ranges is None or isinstance(ranges, Unsatisfiable) or len(ranges) != 1:
            return None
        part = Part(body, *ranges[0])
        if part.length > MAX_SHORT_BYTES:
            return None
        permit = self.downloads.transfers.admit_now(actor, template.item.version.version_id)
        return None if permit is None else (part, permit)

    def _read(self, template: _Template, part: Part, permit: TransferPermit, head: bytes = b"") -> bytearray | None:
        """Return ``head`` followed by the bytes of the part; release the permit if they are not in memory."""
        data = bytearray(len(head) + part.length)
        data[: len(head)] = head
        pieces = part.body.pieces(part.start, part.end)
        if not read_cached(pieces, template.item.version.places, memoryview(data)[len(head) :]):
            permit.release()
            return None
        self.answered += 1
        return data


def _headers(scope: HTTPScope) -> dict[str, str] | None:
    """Return the headers of a request, None if one of them is repeated or needs the framework."""
    fields = list(scope["headers"])
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in fields}
    if len(headers) != len(fields) or not _UNSUPPORTED_HEADERS.isdisjoint(headers):
        return None
    return headers


def _range_headers(part: Part) -> _Headers:
    content_range = b"bytes %d-%d/%d" % (part.start, part.end - 1, part.body.size)
    return (b"content-range", content_range), (b"content-length", b"%d" % part.length)


def _lines(headers: _Headers) -> bytes:
    return b"".join(b"%b: %b\r\n" % header for header in headers)
