"""Responses with server-sent events, which end with their client, their source or the process."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, closing
from typing import Any, Protocol

import structlog
from litestar import Response
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Scope, Send

from playdock.server.file_response import BodyWriter, body_writer

_log = structlog.get_logger()

MEDIA_TYPE = "text/event-stream"
# A client that takes nothing for so long has probably stopped. It continues where it was when it connects again.
_MAX_SEND_SECONDS = 60.0
# Or a proxy would collect what is sent (nginx).
_HEADERS = {"X-Accel-Buffering": "no"}


class PieceSource(Protocol):
    """What a response sends."""

    def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield what is sent; an empty piece at least every few seconds."""

    def close(self) -> None:
        """Release what the source holds. It is called once."""


class EventStreamResponse(Response[None]):
    """A response that a handler returns to the framework. It closes the source."""

    def __init__(self, source: PieceSource) -> None:
        super().__init__(None, media_type=MEDIA_TYPE, headers=_HEADERS)
        self._source = source

    def to_asgi_response(self, *_: Any, **_options: Any) -> ASGIResponse:
        return _AsgiEventStream(self._source, headers=self.headers, media_type=self.media_type)


class _AsgiEventStream(ASGIResponse):
    """A response that is being sent."""

    __slots__ = ("_source",)

    def __init__(self, source: PieceSource, **options: Any) -> None:
        super().__init__(**options)
        # The framework sets the length of its own, empty body.
        del self.headers["content-length"]
        self._source = source

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with closing(self._source), closing(body_writer(scope, receive, send)) as writer:
            try:
                await self.start_response(send)
                async with aclosing(self._source.pieces()) as pieces:
                    await _send_pieces(pieces, writer, send)
            except (asyncio.CancelledError, TimeoutError):
                writer.abort()
            except Exception as error:  # noqa: BLE001 - the client connects again, and continues where it was
                _log.warning("event stream aborted", exc_info=error)
                writer.abort()


async def _send_pieces(pieces: AsyncGenerator[bytes, None], writer: BodyWriter, send: Send) -> None:
    async for piece in pieces:
        if writer.gone:
            return
        if piece:
            message = send({"type": "http.response.body", "body": piece, "more_body": True})
            await asyncio.wait_for(message, _MAX_SEND_SECONDS)
    await send({"type": "http.response.body", "body": b"", "more_body": False})
