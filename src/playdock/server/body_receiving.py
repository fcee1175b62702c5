"""Receiving the body of a request of any size, which is stored in threads while more of it arrives."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

from anyio import CancelScope
from litestar import Request
from litestar.exceptions.http_exceptions import InternalServerException

from playdock.kit.limited_threads import LimitedThreads
from playdock.server.request_reading import ClientDisconnected

# Enough that switching to a thread takes little of the time. As much again arrives in that time.
_BYTES_AT_ONCE = 8 * 1024 * 1024


class BodySink(Protocol):
    """What stores a body. Its methods are called in threads, one after the other."""

    def write(self, pieces: Sequence[bytes]) -> None:
        """Store the next bytes."""

    def end(self) -> int:
        """Complete the body, and return how much is stored in total."""

    def close(self) -> None:
        """Release everything, after `end` or whatever was raised."""


async def receive_body(request: Request[Any, Any, Any], sink: BodySink, threads: LimitedThreads) -> int:
    """Store the body of a request, and return what `BodySink.end` returns.

    Raises:
        ClientDisconnected: the connection was closed before the end of the body.
    """
    try:
        await _store(request, sink, threads)
        return await threads.run(sink.end)
    except InternalServerException:
        raise ClientDisconnected from None
    finally:
        await threads.release(sink.close)


async def _store(request: Request[Any, Any, Any], sink: BodySink, threads: LimitedThreads) -> None:
    arrived: list[bytes] = []
    size = 0
    storing: asyncio.Task[None] | None = None
    try:
        async for piece in request.stream():
            arrived.append(piece)
            size += len(piece)
            if size >= _BYTES_AT_ONCE:
                if storing:
                    await storing
                storing = asyncio.create_task(threads.run(partial(sink.write, arrived)))
                arrived, size = [], 0
    finally:
        with CancelScope(shield=True):
            if storing:
                await storing
            await threads.run(partial(sink.write, arrived))
