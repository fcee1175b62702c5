"""Responses with bytes of files, with conditional and range requests (RFC 9110).

A short body is read and sent like any other response. A long body is a `Transfer` to the connection's socket.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor
from contextlib import closing
from typing import Any, TypeAlias, cast

import structlog
from litestar import Response
from litestar.response.base import ASGIResponse
from litestar.types import HTTPResponseStartEvent, Receive, Scope, Send
from msgspec import Struct, field

from playdock.content.bodies import ContentBody, MultipartBody
from playdock.kit.conditions import is_unchanged, matches
from playdock.kit.errors import PreconditionFailed, RangeNotSatisfiable
from playdock.kit.ranges import Unsatisfiable, if_range_matches, parse_range
from playdock.sending.files import ContentMismatch, LocationUnavailable, Opener, check_first, read
from playdock.sending.limits import TransferPermit
from playdock.sending.transfer import WRITER_EXTENSION, ReaderGone, SocketWriter, Transfer
from playdock.server.asgi_writer import AsgiWriter
from playdock.server.routing import AnyRequest

_log = structlog.get_logger()

# Up to this size, reading and sending like any other response is faster than a transfer.
MAX_SHORT_BYTES = 256 * 1024
_MULTIPART = "multipart/byteranges; boundary="

BodyWriter: TypeAlias = SocketWriter | AsgiWriter


class Representation(Struct, frozen=True):
    """A resource that is fetched completely or in part; ``etag`` is its strong ETag without quotes."""

    body: ContentBody
    etag: str
    media_type: str
    headers: Mapping[str, str] = field(default_factory=dict)


class Sender(Struct, frozen=True):
    """The threads and the opener for sending, and a callback for files that have changed since the import."""

    threads: Executor
    opener: Opener
    on_mismatch: Callable[[ContentMismatch], None]

    async def respond(
        self, request: AnyRequest, resource: Representation, *, admit: Callable[[int], Awaitable[TransferPermit]]
    ) -> Response[Any]:
        """Respond to a GET or HEAD. ``admit`` is called with the number of content bytes before a body is sent.

        Raises:
            PreconditionFailed: the ETag does not match If-Match.
            RangeNotSatisfiable: the requested range is beyond the end.
            ContentMismatch, LocationUnavailable, OSError: the first files cannot be opened.
        """
        selected = select_range(request.method, request.headers, resource)
        if selected.part is None:
            return Response(b"", status_code=selected.status, headers=selected.headers, media_type=selected.media_type)
        permit = await admit(selected.part.content)
        try:
            data = await asyncio.get_running_loop().run_in_executor(self.threads, self._prepare, selected.part)
        except BaseException:
            permit.release()
            raise
        return _FileResponse(
            PartSending(self, selected.part, permit, data),
            status_code=selected.status,
            headers=selected.headers,
            media_type=selected.media_type,
        )

    def _prepare(self, part: "Part") -> bytes | None:
        """Return the bytes of a short part. For a long one, check its first files and return None."""
        try:
            if part.length <= MAX_SHORT_BYTES:
                pieces = part.body.pieces(part.start, part.end)
                return b"".join(piece if isinstance(piece, bytes) else read(piece, self.opener) for piece in pieces)
            check_first(part.body.pieces(part.start, part.end), self.opener)
        except ContentMismatch as mismatch:
            self.on_mismatch(mismatch)
            raise
        finally:
            self.opener.release()
        return None


class Part(Struct, frozen=True):
    """A range of a body, from ``start`` to ``end`` exclusive."""

    body: ContentBody
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start

    @property
    def content(self) -> int:
        """The number of bytes of content, without the headers of several ranges."""
        return self.body.content if isinstance(self.body, MultipartBody) else self.length


class SelectedRange(Struct, frozen=True):
    """The status and headers of a response, and the part that is its body, None if it has no body."""

    status: int
    headers: Mapping[str, str]
    media_type: str
    part: Part | None = None


def select_range(method: str, requested: Mapping[str, str], resource: Representation) -> SelectedRange:
    """Select what is sent, evaluating the request's headers in the order of RFC 9110, section 13.2.2.

    Raises:
        PreconditionFailed: the ETag does not match If-Match.
        RangeNotSatisfiable: the requested range is beyond the end.
    """
    if not matches(requested.get("if-match"), resource.etag):
        raise PreconditionFailed
    headers = {"ETag": f'"{resource.etag}"', "Accept-Ranges": "bytes", **resource.headers}
    if is_unchanged(requested.get("if-none-match"), resource.etag):
        return SelectedRange(304, headers, resource.media_type)
    whole = Part(resource.body, 0, resource.body.size)
    if method == "HEAD":
        return SelectedRange(200, {**headers, "Content-Length": str(whole.length)}, resource.media_type)
    ranges = None
    if if_range_matches(requested.get("if-range"), resource.etag):
        ranges = parse_range(requested.get("range"), size=whole.length)
    if isinstance(ranges, Unsatisfiable):
        raise RangeNotSatisfiable(whole.length)
    if ranges is None:
        return SelectedRange(200, headers, resource.media_type, whole)
    if len(ranges) == 1:
        start, end = ranges[0]
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{whole.length}"
        return SelectedRange(206, headers, resource.media_type, Part(resource.body, start, end))
    boundary = secrets.token_hex(16)
    parts = MultipartBody(resource.body, ranges, resource.media_type, boundary)
    return SelectedRange(206, headers, _MULTIPART + boundary, Part(parts, 0, parts.size))


class PartSending(Struct, frozen=True):
    """A part with a permit to send it, and its bytes if it is short."""

    sender: Sender
    part: Part
    permit: TransferPermit
    data: bytes | bytearray | None

    async def send(self, start: HTTPResponseStartEvent, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response that begins with ``start``, and release the permit."""
        with closing(body_writer(scope, receive, send)) as writer:
            try:
                await self._send_body(start, writer, send)
            except (ReaderGone, asyncio.CancelledError):
                # The client has disconnected or the service is stopping; the connection is closed.
                return
            except LocationUnavailable:
                _log.warning("download aborted: the library is unavailable")
            except ContentMismatch as mismatch:
                path, fault = mismatch.file.path, mismatch.fault.value
                _log.warning("download aborted: a file has changed", path=path, fault=fault)
                threads = self.sender.threads
                await asyncio.get_running_loop().run_in_executor(threads, self.sender.on_mismatch, mismatch)
            except OSError as error:
                _log.error("download aborted: the storage failed", reason=str(error))
            finally:
                self.permit.release()

    async def _send_body(self, start: HTTPResponseStartEvent, writer: BodyWriter, send: Send) -> None:
        if self.data is not None:
            await wait_for_bandwidth(self.permit, len(self.data), writer)
            await send(start)
            await send({"type": "http.response.body", "body": cast("bytes", self.data), "more_body": False})
            await writer.drained()
            return
        part, sender = self.part, self.sender
        transfer = Transfer(part.body.pieces(part.start, part.end), sender.opener)
        await send(start)
        await writer.send(transfer, length=part.length, threads=sender.threads, permit=self.permit)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class _FileResponse(Response[None]):
    """A response that a handler returns to the framework."""

    def __init__(self, sending: PartSending, **options: Any) -> None:
        super().__init__(None, **options)
        self._sending = sending

    def to_asgi_response(self, *_: Any, **_options: Any) -> ASGIResponse:
        return _AsgiFileResponse(
            self._sending,
            status_code=self.status_code,
            headers=self.headers,
            media_type=self.media_type,
            content_length=self._sending.part.length,
        )


class _AsgiFileResponse(ASGIResponse):
    """A response that is being sent."""

    __slots__ = ("_sending",)

    def __init__(self, sending: PartSending, **options: Any) -> None:
        super().__init__(**options)
        self._sending = sending

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = HTTPResponseStartEvent(
            type="http.response.start", status=self.status_code, headers=self.encode_headers()
        )
        await self._sending.send(start, scope, receive, send)


def body_writer(scope: Scope, receive: Receive, send: Send) -> BodyWriter:
    """Return a writer for a response's body, which uses the socket directly if the server has `ZeroCopyProtocol`."""
    extension: Any = (scope.get("extensions") or {}).get(WRITER_EXTENSION)
    if extension is None:
        return AsgiWriter(receive, send)
    writer: SocketWriter = extension["protocol"].socket_writer()
    return writer


async def wait_for_bandwidth(
    permit: TransferPermit, length: int, writer: BodyWriter, *, content: int | None = None
) -> None:
    """Wait until ``length`` bytes may be sent, which convey ``content`` bytes, or as many if it is None.

    Raises:
        ReaderGone: the client has disconnected.
    """
    left = length
    while left:
        if writer.gone:
            raise ReaderGone
        allowed = await permit.wait_for_bandwidth(left)
        permit.record(allowed, allowed, content=0)
        left -= allowed
    permit.record(0, 0, content=length if content is None else content)
