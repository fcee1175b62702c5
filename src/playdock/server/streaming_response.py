"""Responses whose bodies are produced while they are sent, each piece after the previous one has been sent."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Executor
from contextlib import closing
from functools import partial
from typing import Any

import structlog
from litestar import Response
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Scope, Send
from msgspec import Struct

from playdock.content.frames import Frame
from playdock.kit.limited_threads import LimitedThreads
from playdock.sending.files import ContentMismatch, LocationUnavailable
from playdock.sending.limits import TransferPermit
from playdock.sending.transfer import ReaderGone
from playdock.server.file_response import BodyWriter, body_writer, wait_for_bandwidth

_log = structlog.get_logger()


_NOTHING = Frame(b"", 0)


async def iterate_in_threads(pieces: Iterator[bytes], threads: LimitedThreads) -> AsyncIterator[bytes]:
    """Yield pieces that are produced in particular threads, each after the previous one has been sent.

    Litestar's own streams are produced in the threads that all handlers share.
    """
    while piece := await threads.run(partial(next, pieces, b"")):
        yield piece


class StreamingBody(Struct):
    """Frames that are produced in threads. The first one exists already, so that early errors have their own status."""

    first: Frame
    pieces: Iterator[Frame]
    threads: Executor
    permit: TransferPermit

    @classmethod
    async def begin(cls, pieces: Iterator[Frame], *, threads: Executor, permit: TransferPermit) -> "StreamingBody":
        """Produce the first frame. If that raises, release the permit and raise the same."""
        try:
            first = await asyncio.get_running_loop().run_in_executor(threads, next, pieces, _NOTHING)
        except BaseException:
            permit.release()
            raise
        return cls(first, pieces, threads, permit)


class StreamingResponse(Response[None]):
    """A response that a handler returns to the framework; ``length`` is its length in bytes, None if it is unknown."""

    def __init__(self, body: StreamingBody, *, length: int | None = None, **options: Any) -> None:
        super().__init__(None, **options)
        self._body = body
        self._length = length

    def to_asgi_response(self, *_: Any, **_options: Any) -> ASGIResponse:
        return _AsgiStreamingResponse(self._body, self._length, headers=self.headers, media_type=self.media_type)


class _AsgiStreamingResponse(ASGIResponse):
    """A response that is being sent."""

    __slots__ = ("_body",)

    def __init__(self, body: StreamingBody, length: int | None, **options: Any) -> None:
        super().__init__(**options)
        # The framework sets the length of its own, empty body.
        del self.headers["content-length"]
        if length is not None:
            self.headers["content-length"] = str(length)
        self._body = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with closing(body_writer(scope, receive, send)) as writer:
            try:
                await self.start_response(send)
                await self._send_pieces(writer, send)
            except (ReaderGone, asyncio.CancelledError):
                writer.abort()
            except (ContentMismatch, LocationUnavailable, OSError, ValueError) as reason:
                _log.warning("stream aborted", reason=str(reason))
                writer.abort()
            finally:
                self._body.permit.release()

    async def _send_pieces(self, writer: BodyWriter, send: Send) -> None:
        body, piece = self._body, self._body.first
        while piece.data and not writer.gone:
            await wait_for_bandwidth(body.permit, len(piece.data), writer, content=piece.content)
            await send({"type": "http.response.body", "body": piece.data, "more_body": True})
            piece = await asyncio.get_running_loop().run_in_executor(body.threads, next, body.pieces, _NOTHING)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
