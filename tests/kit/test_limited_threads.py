"""Calls in a limited number of threads, some of which hang."""

import asyncio
import threading

import pytest

from playdock.kit.errors import Unavailable
from playdock.kit.limited_threads import LimitedThreads


def test_a_call_that_finds_no_thread_in_time_is_refused_while_the_others_hang() -> None:
    threads = LimitedThreads(1, refusal=lambda: Unavailable("All threads are busy."), max_wait=0.05)
    begun, leave = threading.Event(), threading.Event()

    def hang() -> bool:
        begun.set()
        return leave.wait(120)

    async def run() -> None:
        first = asyncio.ensure_future(threads.run(hang))
        await asyncio.to_thread(begun.wait, 120)
        for _ in range(2):
            with pytest.raises(Unavailable):
                await asyncio.wait_for(threads.run(lambda: True), 60)
        assert not first.done()
        leave.set()
        assert await first
        assert await threads.run(lambda: True)

    try:
        asyncio.run(run())
    finally:
        leave.set()
