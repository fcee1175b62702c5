"""Answers whose bytes are made while they are sent: piece by piece, each when the reader has taken the one before."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import structlog
from litestar import Response
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Scope, Send

from playdock.http.protocol import ReaderGone
from playdock.http.sending import Passage, outlet_of, pay
from playdock.sending.files import ContentGone, PlaceAway

_log = structlog.get_logger()


@dataclass(slots=True)
class Making:
    """Pieces that are made in threads; the first is made already, so that it is known what can be wrong."""

    first: bytes
    pieces: Iterator[bytes]
    threads: Executor
    passage: Passage

    @classmethod
    async def begin(cls, pieces: Iterator[bytes], *, threads: Executor, passage: Passage) -> "Making":
        """Make the first piece; raises what that raises, and the leave to send is given up then."""
        try:
            first = await asyncio.get_running_loop().run_in_executor(threads, next, pieces, b"")
        except BaseException:
            passage.leave(sent=0)
            raise
        return cls(first, pieces, threads, passage)


class Streamed(Response[None]):
    """An answer that is being made, as the framework takes it; how long it will be is not known."""

    def __init__(self, making: Making, **options: Any) -> None:
        super().__init__(None, **options)
        self._making = making

    def to_asgi_response(self, *_: Any, **_options: Any) -> ASGIResponse:
        return _StreamedAnswer(self._making, headers=self.headers, media_type=self.media_type)


class _StreamedAnswer(ASGIResponse):
    """An answer that is being made, on its way."""

    __slots__ = ("_making",)

    _should_set_content_length = False

    def __init__(self, making: Making, **options: Any) -> None:
        super().__init__(**options)
        self._making = making

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        outlet = outlet_of(scope)
        making, loop = self._making, asyncio.get_running_loop()
        sent = 0
        try:
            await self.start_response(send)
            piece = making.first
            while piece and not outlet.gone:
                await pay(making.passage, len(piece), outlet)
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                sent += len(piece)
                piece = await loop.run_in_executor(making.threads, next, making.pieces, b"")
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except (ReaderGone, asyncio.CancelledError):
            outlet.cut()
        except (ContentGone, PlaceAway, OSError, ValueError) as reason:
            _log.warning("a stream was cut off", reason=str(reason))
            outlet.cut()
        finally:
            making.passage.leave(sent=sent)
