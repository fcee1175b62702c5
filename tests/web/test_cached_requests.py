"""Cached requests, which query only the revisions of the database."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event, text

from served import write_doom
from world import World


@contextmanager
def statements(world: World) -> Iterator[list[str]]:
    """Collect the statements that services execute in the meantime, except those in the background."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_others: Any) -> None:
        if threading.current_thread().name == "probe":
            return
        if not statement.startswith(("SELECT tasks.", "SELECT DISTINCT tasks.", "UPDATE tasks", "BEGIN", "PRAGMA")):
            seen.append(statement)

    event.listen(world.services.db.engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(world.services.db.engine, "before_cursor_execute", note)


@pytest.mark.parametrize(
    "bookkeeping",
    [
        "UPDATE tasks SET progress = progress + 1",
        "INSERT INTO task_log (task_id, at, level, message) SELECT id, created, 'info', 'x' FROM tasks",
        "INSERT INTO failed_attempts (key, at) VALUES ('key', '2026-01-01')",
        "UPDATE sessions SET seen = seen",
        "UPDATE versions SET verified = created",
    ],
)
def test_bookkeeping_does_not_invalidate_cached_credentials_and_versions(world: World, bookkeeping: str) -> None:
    doom = write_doom(world)
    doom.get()
    assert doom.get().status_code == 200
    with world.services.db.write() as session:
        session.execute(text(bookkeeping))

    with statements(world) as seen:
        fetched = [doom.get() for _ in range(3)]

    assert ([answer.status_code for answer in fetched], seen) == ([200] * 3, [])


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        ("UPDATE users SET download_rate = 1000000000", "sessions"),
        ("UPDATE games SET name = 'Doom II'", "versions"),
        ("UPDATE libraries SET name = 'Attic'", "versions"),
    ],
)
def test_a_change_invalidates_the_cache_once(world: World, change: str, asked: str) -> None:
    doom = write_doom(world)
    assert [doom.get().status_code for _ in range(2)] == [200] * 2
    with world.services.db.write() as session:
        session.execute(text(change))

    with statements(world) as first:
        doom.get()
    with statements(world) as second:
        doom.get()

    assert any(f"FROM {asked}" in statement for statement in first)
    assert second == []
