"""The queues in which requests with a password wait: fair between networks, bounded, and left by those who hang up."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pytest

from playdock.auth.errors import PasswordQueueFull
from playdock.auth.passwords import MAX_WAITING, MAX_WAITING_PER_NETWORK, PasswordThreads

LIMIT = 120


@dataclass
class Queue:
    """One thread, which a first call occupies until `drain`, and the names of the calls that it has run since."""

    threads: PasswordThreads = field(default_factory=lambda: PasswordThreads(1))
    ran: list[str] = field(default_factory=list)
    tasks: dict[str, asyncio.Task[str]] = field(default_factory=dict)
    _gate: threading.Event = field(default_factory=threading.Event)

    async def occupy(self) -> None:
        await self.join("occupied", network="first", call=lambda: self._gate.wait(LIMIT))

    async def join(
        self, name: str, *, network: str, hung_up: Awaitable[None] | None = None, call: Callable[[], Any] | None = None
    ) -> None:
        """Make a call, and return when it waits or has been refused."""
        run = self.threads.run(lambda: self._run(name, call), network=network, hung_up=hung_up or _never())
        self.tasks[name] = asyncio.create_task(run)
        await asyncio.sleep(0)

    async def drain(self) -> dict[str, str | BaseException]:
        """Free the thread; return the result of each call."""
        self._gate.set()
        results = await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        return dict(zip(self.tasks, results, strict=True))

    def _run(self, name: str, call: Callable[[], Any] | None) -> str:
        if call:
            call()
        else:
            self.ran.append(name)
        return name


async def _never() -> None:
    await asyncio.Event().wait()


def run(test: Callable[[Queue], Coroutine[Any, Any, None]]) -> None:
    async def with_queue() -> None:
        queue = Queue()
        with closing(queue.threads):
            await queue.occupy()
            await test(queue)

    asyncio.run(with_queue())


def refused(results: dict[str, str | BaseException]) -> list[str]:
    return [name for name, result in results.items() if isinstance(result, PasswordQueueFull)]


def test_networks_take_turns_however_many_calls_they_make() -> None:
    async def test(queue: Queue) -> None:
        for number in range(100):
            for network in "ab":
                await queue.join(f"{network}{number}", network=network)
        await queue.join("c", network="c")
        results = await queue.drain()

        assert queue.ran[:5] == ["a0", "b0", "c", "a1", "b1"]
        assert len(queue.ran) == 2 * MAX_WAITING_PER_NETWORK + 1
        assert len(refused(results)) == 200 - 2 * MAX_WAITING_PER_NETWORK

    run(test)


def test_a_full_queue_takes_a_call_of_another_network_instead_of_the_last_of_the_longest() -> None:
    async def test(queue: Queue) -> None:
        networks = MAX_WAITING // MAX_WAITING_PER_NETWORK
        for network in range(networks):
            for number in range(MAX_WAITING_PER_NETWORK):
                await queue.join(f"{network}-{number}", network=f"{network}")
        await queue.join("other", network="other")
        results = await queue.drain()

        assert refused(results) == [f"0-{MAX_WAITING_PER_NETWORK - 1}"]
        assert queue.ran.index("other") == networks

    run(test)


def test_a_queue_full_of_single_calls_takes_no_other() -> None:
    async def test(queue: Queue) -> None:
        for number in range(MAX_WAITING + 1):
            await queue.join(f"{number}", network=f"{number}")

        assert refused(await queue.drain()) == [f"{MAX_WAITING}"]

    run(test)


def test_who_hangs_up_leaves_the_queue_and_the_place_to_another() -> None:
    async def test(queue: Queue) -> None:
        hung_up = asyncio.Event()

        async def hang_up() -> None:
            await hung_up.wait()

        for number in range(MAX_WAITING_PER_NETWORK):
            await queue.join(f"{number}", network="a", hung_up=hang_up())
        hung_up.set()
        await asyncio.gather(*list(queue.tasks.values())[1:], return_exceptions=True)
        await queue.join("next", network="a")
        results = await queue.drain()

        assert queue.ran == ["next"]
        assert len(refused(results)) == MAX_WAITING_PER_NETWORK

    run(test)


def test_a_cancelled_call_leaves_the_queue() -> None:
    async def test(queue: Queue) -> None:
        await queue.join("cancelled", network="a")
        await queue.join("next", network="a")
        queue.tasks["cancelled"].cancel()
        await asyncio.wait([queue.tasks["cancelled"]])
        await queue.drain()

        assert queue.ran == ["next"]

    run(test)


def test_a_running_call_occupies_its_thread_even_if_its_caller_hangs_up_or_is_cancelled() -> None:
    async def test(queue: Queue) -> None:
        await queue.join("next", network="a")
        queue.tasks["occupied"].cancel()
        await asyncio.wait([queue.tasks["occupied"]])
        assert not queue.tasks["next"].done()
        await queue.drain()

        assert queue.ran == ["next"]

    run(test)


def test_the_error_of_a_call_is_raised_and_frees_the_thread() -> None:
    def fail() -> None:
        raise LookupError

    async def test(queue: Queue) -> None:
        await queue.join("failing", network="a", call=fail)
        await queue.join("next", network="a")
        results = await queue.drain()

        assert isinstance(results["failing"], LookupError)
        assert queue.ran == ["next"]

    run(test)


@pytest.mark.parametrize("calls", [1, 3])
def test_calls_run_at_once_when_threads_are_free(calls: int) -> None:
    async def test() -> None:
        with closing(PasswordThreads(calls)) as threads:
            together = threading.Barrier(calls)
            runs = [threads.run(lambda: together.wait(LIMIT), network="a", hung_up=_never()) for _ in range(calls)]
            assert sorted(await asyncio.gather(*runs)) == list(range(calls))

    asyncio.run(test())
