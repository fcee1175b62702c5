"""Race conditions between a call and another transaction, made deterministic by locks."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx2
from sqlalchemy import text
from sqlalchemy.orm import Session

from waiting import wait_until
from world import World

_WAITING = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")


def call_meanwhile(
    world: World, change: Callable[[Session], object], call: Callable[[], httpx2.Response]
) -> httpx2.Response:
    """Make a call during a change that is committed only when the call waits for it or has ended.

    PostgreSQL alone: on SQLite nobody looks at a row while somebody else changes it.
    """
    with ThreadPoolExecutor(1) as thread:
        with world.services.db.write() as session:
            change(session)
            session.flush()
            answer = thread.submit(call)
            wait_for_lock(world, answer)
        return answer.result()


def wait_for_lock(world: World, call: Future[Any]) -> None:
    """Wait until a call waits for a lock of the database, or has ended.

    On SQLite nothing shows who waits: a call that writes cannot begin before the writer of the test has ended.
    """

    def waits() -> bool:
        # Not a transaction of the service's: the thread has one open.
        with world.services.db.engine.connect() as connection:
            return bool(connection.scalar(_WAITING))

    if not world.services.db.embedded:
        wait_until(lambda: call.done() or waits())
