"""Answers with bytes of games: the conditions and ranges of RFC 9110, and bodies that the system sends.

A short answer is read and sent as any other. A long one goes through the connection's `Outlet`.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, Protocol

import structlog
from litestar import Response
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Scope, Send

from playdock.content.bodies import Body, MultipartBody
from playdock.http.protocol import EXTENSION, Outlet, Pace, ReaderGone
from playdock.http.routing import AnyRequest
from playdock.kit.conditions import is_unchanged, matches
from playdock.kit.errors import PreconditionFailed, RangeNotSatisfiable
from playdock.kit.ranges import Unsatisfiable, asked_ranges, if_range_holds
from playdock.sending.files import ContentGone, Opener, PlaceAway
from playdock.sending.transfer import Transfer, check_first, read

_log = structlog.get_logger()

_SHORT = 256 * 1024
_MULTIPART = "multipart/byteranges; boundary="


@dataclass(frozen=True, slots=True)
class Representation:
    """Something that is fetched, whole or in part: its strong ETag stands without quotes."""

    body: Body
    etag: str
    media_type: str
    headers: Mapping[str, str] = field(default_factory=dict)


class Passage(Pace, Protocol):
    """The leave to send one answer."""

    def leave(self, *, sent: int) -> None:
        """Tell that the answer has ended, and how many bytes of its body were sent."""
        ...


@dataclass(frozen=True, slots=True)
class Sender:
    """What sends: threads, who opens the files, and who is told when one is not as it was imported."""

    threads: Executor
    opener: Opener
    on_gone: Callable[[ContentGone], None]

    async def answer(
        self, request: AnyRequest, found: Representation, *, admit: Callable[[int], Awaitable[Passage]]
    ) -> Response[Any]:
        """Answer a GET or HEAD. ``admit`` is asked before a body of so many bytes is sent.

        Raises:
            PreconditionFailed: the caller wants another state of it.
            RangeNotSatisfiable: what is asked for is not there.
            ContentGone, PlaceAway, OSError: the first files cannot be opened.
        """
        chosen = choose(request.method, request.headers, found)
        if chosen.part is None:
            return Response(b"", status_code=chosen.status, headers=chosen.headers, media_type=chosen.media_type)
        passage = await admit(chosen.part.length)
        try:
            return await self._sent(chosen, chosen.part, passage)
        except BaseException:
            passage.leave(sent=0)
            raise

    async def _sent(self, chosen: "Chosen", part: "Part", passage: Passage) -> Response[Any]:
        loop = asyncio.get_running_loop()
        data = await loop.run_in_executor(self.threads, self._prepared, part)
        options: dict[str, Any] = {
            "status_code": chosen.status,
            "headers": chosen.headers,
            "media_type": chosen.media_type,
        }
        return _Sending(self, part, passage, data, **options)

    def _prepared(self, part: "Part") -> bytes | None:
        """Give a short part; of a long one, look whether it can be sent."""
        try:
            if part.length <= _SHORT:
                pieces = part.body.pieces(part.start, part.end)
                return b"".join(piece if isinstance(piece, bytes) else read(piece, self.opener) for piece in pieces)
            check_first(part.body.pieces(part.start, part.end), self.opener)
        except ContentGone as gone:
            self.on_gone(gone)
            raise
        finally:
            self.opener.rest()
        return None


@dataclass(frozen=True, slots=True)
class Part:
    """What is sent of a body: from one byte to another, the end excluded."""

    body: Body
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Chosen:
    """How a request is answered: no part for an answer without a body."""

    status: int
    headers: Mapping[str, str]
    media_type: str
    part: Part | None = None


def choose(method: str, asked: Mapping[str, str], found: Representation) -> Chosen:
    """Decide what is sent, in the order of RFC 9110, section 13.2.2.

    Raises:
        PreconditionFailed, RangeNotSatisfiable: nothing can be.
    """
    if not matches(asked.get("if-match"), found.etag):
        raise PreconditionFailed
    headers = {"ETag": f'"{found.etag}"', "Accept-Ranges": "bytes", **found.headers}
    if is_unchanged(asked.get("if-none-match"), found.etag):
        return Chosen(304, headers, found.media_type)
    whole = Part(found.body, 0, found.body.size)
    if method == "HEAD":
        return Chosen(200, {**headers, "Content-Length": str(whole.length)}, found.media_type)
    ranges = None
    if if_range_holds(asked.get("if-range"), found.etag):
        ranges = asked_ranges(asked.get("range"), size=whole.length)
    if isinstance(ranges, Unsatisfiable):
        raise RangeNotSatisfiable(whole.length)
    if ranges is None:
        return Chosen(200, headers, found.media_type, whole)
    if len(ranges) == 1:
        start, end = ranges[0]
        told = {"Content-Range": f"bytes {start}-{end - 1}/{whole.length}"}
        return Chosen(206, {**headers, **told}, found.media_type, Part(found.body, start, end))
    boundary = secrets.token_hex(16)
    parts = MultipartBody(found.body, ranges, found.media_type, boundary)
    return Chosen(206, headers, _MULTIPART + boundary, Part(parts, 0, parts.size))


class _Sending(Response[None]):
    """An answer, as the framework takes it: with its bytes if it is a short one."""

    def __init__(self, sender: Sender, part: Part, passage: Passage, data: bytes | None, **options: Any) -> None:
        super().__init__(None, **options)
        self._sender, self._part, self._passage, self._data = sender, part, passage, data

    def to_asgi_response(self, *_: Any, **_options: Any) -> ASGIResponse:
        return _SendingAnswer(
            self._sender,
            self._part,
            self._passage,
            self._data,
            status_code=self.status_code,
            headers=self.headers,
            media_type=self.media_type,
            content_length=self._part.length,
        )


class _SendingAnswer(ASGIResponse):
    """An answer on its way."""

    __slots__ = ("_data", "_part", "_passage", "_sender")

    def __init__(self, sender: Sender, part: Part, passage: Passage, data: bytes | None, **options: Any) -> None:
        super().__init__(**options)
        self._sender, self._part, self._passage, self._data = sender, part, passage, data

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        outlet: Outlet = outlet_of(scope)
        sender = self._sender
        sent = _Counted(self._passage)
        try:
            if self._data is None:
                await self._send_long(outlet, send, sent)
            else:
                await pay(sent, len(self._data), outlet)
                await self.start_response(send)
                await send({"type": "http.response.body", "body": self._data, "more_body": False})
                await outlet.drained()
        except (ReaderGone, asyncio.CancelledError):
            # The reader has left, or the service stops; the connection is at its end.
            return
        except PlaceAway:
            _log.warning("download cut off: the library went away")
        except ContentGone as gone:
            _log.warning("download cut off: a file was changed", path=gone.file.path, fault=gone.fault.value)
            await asyncio.get_running_loop().run_in_executor(sender.threads, sender.on_gone, gone)
        except OSError as error:
            _log.error("download cut off: the storage failed", reason=str(error))
        finally:
            self._passage.leave(sent=sent.total)

    async def _send_long(self, outlet: Outlet, send: Send, sent: "_Counted") -> None:
        part, sender = self._part, self._sender
        transfer = Transfer(part.body.pieces(part.start, part.end), sender.opener)
        await self.start_response(send)
        await outlet.send(transfer, length=part.length, threads=sender.threads, pace=sent)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


@dataclass(slots=True)
class _Counted:
    """A pace that remembers how much was sent."""

    passage: Passage
    total: int = 0

    async def allowance(self, wanted: int) -> int:
        return await self.passage.allowance(wanted)

    def spent(self, allowed: int, sent: int) -> None:
        self.total += sent
        self.passage.spent(allowed, sent)


def outlet_of(scope: Scope) -> Outlet:
    """Open the outlet of the connection that a request came by."""
    protocol: Any = (scope["extensions"] or {})[EXTENSION]["protocol"]
    outlet: Outlet = protocol.open_outlet()
    return outlet


async def pay(pace: Pace, length: int, outlet: Outlet) -> None:
    """Wait until so many bytes may be sent.

    Raises:
        ReaderGone: nobody wants them any more.
    """
    while length:
        if outlet.gone:
            raise ReaderGone
        allowed = await pace.allowance(length)
        pace.spent(allowed, allowed)
        length -= allowed
