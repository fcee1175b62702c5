"""Calls that write: in threads of their own, so that readers never wait for writers."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial

import pytest

from playdock.db.errors import DatabaseBusy
from playdock.server.write_threads import WriteThreads
from world import World

# More than the threads of all handlers together.
WRITERS = 70


@contextmanager
def locked(world: World) -> Iterator[None]:
    """The write lock of the database, held by another connection."""
    with closing(sqlite3.connect(str(world.services.db.url.database), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_readers_do_not_wait_for_writers(embedded_world: World) -> None:
    world = embedded_world
    ada, bob = world.person("ada"), world.person("bob")
    create = [partial(ada.post, "/api/v1/collection", {"name": f"Games {number}"}) for number in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as pool:
        with locked(world):
            writing = [pool.submit(call) for call in create]
            assert [bob.get("/api/v1/collection").status_code for _ in range(10)] == [200] * 10
            assert not any(each.done() for each in writing)
        assert {each.result().status_code for each in writing} == {201}


def test_the_last_use_of_a_session_is_not_waited_for(embedded_world: World) -> None:
    world = embedded_world
    ada = world.person("ada")
    world.clock.advance(hours=1)
    with locked(world):
        assert ada.get("/api/v1/user").json() == ada.user


def test_a_writer_that_finds_no_thread_in_time_is_refused_while_the_others_hang() -> None:
    threads, begun, leave = WriteThreads(threads=1, max_wait=0.05), threading.Event(), threading.Event()

    def hang() -> bool:
        begun.set()
        return leave.wait(120)

    async def run() -> None:
        first = asyncio.ensure_future(threads.run(hang))
        await asyncio.to_thread(begun.wait, 120)
        for _ in range(2):
            with pytest.raises(DatabaseBusy):
                await asyncio.wait_for(threads.run(lambda: True), 60)
        assert not first.done()
        leave.set()
        assert await first
        assert await threads.run(lambda: True)

    try:
        asyncio.run(run())
    finally:
        leave.set()
