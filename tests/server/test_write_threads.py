"""Calls that write: in threads of their own, so that readers never wait for writers."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial

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
