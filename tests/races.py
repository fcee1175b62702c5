"""Somebody changes something just while a call looks at it: decided by a lock, not by luck."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import httpx2
from sqlalchemy import text
from sqlalchemy.orm import Session

from world import World

_WAITING = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")


def call_meanwhile(
    world: World, change: Callable[[Session], object], call: Callable[[], httpx2.Response]
) -> httpx2.Response:
    """Make a call while a change is there that is not committed before the call waits for it, or is over.

    PostgreSQL alone: on SQLite nobody looks at a row while somebody else changes it.
    """
    with ThreadPoolExecutor(1) as thread:
        with world.services.db.write() as session:
            change(session)
            session.flush()
            answer = thread.submit(call)
            _wait(world, answer)
        return answer.result()


def _wait(world: World, answer: Future[httpx2.Response]) -> None:
    while not answer.done():
        with world.services.db.read() as session:
            if session.scalar(_WAITING):
                return
        time.sleep(0.01)
