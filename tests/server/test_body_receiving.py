"""Bodies that are stored in threads while they arrive."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from playdock.kit.errors import Unavailable
from playdock.kit.limited_threads import LimitedThreads
from playdock.server.body_receiving import receive_body


class Body:
    """A request whose body ends when something has happened."""

    def __init__(self, before_end: Any) -> None:
        self._before_end = before_end

    async def stream(self) -> AsyncIterator[bytes]:
        yield b"data"
        await self._before_end()


class Sink:
    """Notes whether it was closed."""

    is_closed = False

    def write(self, pieces: Sequence[bytes]) -> None:
        raise AssertionError(pieces)

    def end(self) -> int:
        raise AssertionError

    def close(self) -> None:
        self.is_closed = True


def test_a_body_is_closed_although_all_threads_hang() -> None:
    threads = LimitedThreads(1, refusal=lambda: Unavailable("All threads are busy."), max_wait=0.05)
    begun, leave, sink = threading.Event(), threading.Event(), Sink()

    def hang() -> bool:
        begun.set()
        return leave.wait(120)

    async def run() -> None:
        hanging: list[asyncio.Future[bool]] = []

        async def take_the_thread() -> None:
            hanging.append(asyncio.ensure_future(threads.run(hang)))
            await asyncio.to_thread(begun.wait, 120)

        request: Any = Body(take_the_thread)
        with pytest.raises(Unavailable):
            await asyncio.wait_for(receive_body(request, sink, threads), 60)
        assert sink.is_closed
        assert not hanging[0].done()
        leave.set()
        await hanging[0]

    try:
        asyncio.run(run())
    finally:
        leave.set()
