"""Cache revisions: they change exactly with the cached subjects, in any process."""

import asyncio
import gc
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from databases import Databases
from playdock.db import postgresql_revisions
from playdock.db.commit_cache import CommitScopedCache
from playdock.db.database import Database
from playdock.db.revisions import READ, Numbers, Subject
from playdock.models import Base
from schema_dumps import populated

from .conftest import opened

pytestmark = pytest.mark.both_databases

PATIENCE = 120
# The columns that are not cached. All other columns of these tables change the revision of the subject.
BOOKKEEPING: dict[Subject, dict[str, set[str]]] = {
    Subject.CREDENTIALS: {
        "users": set(),
        "sessions": {"agent", "created", "seen"},
        "tokens": set(),
        # A certificate is written with the device and does not change.
        "devices": {"name", "platform", "created", "seen", "certificate", "capabilities"},
        "download_links": {"created", "bytes_left"},
    },
    Subject.CONTENT: {
        "libraries": set(),
        "games": set(Base.metadata.tables["games"].columns.keys()) - {"id", "library_id", "path", "name"},
        "versions": set(Base.metadata.tables["versions"].columns.keys())
        - {"id", "game_id", "name", "base_id", "revision", "manifest_etag"},
    },
    Subject.SETTINGS: {"stored_settings": set()},
}
TABLES = [(subject, table) for subject, tables in BOOKKEEPING.items() for table in tables]
_WRITE = """
import sys
from sqlalchemy import text
from playdock.db.database import Database
with Database(sys.argv[1]).write() as session:
    session.execute(text(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def filled(databases_of_module: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A database with rows in all tables, shared by tests that do not affect each other."""
    with closing(opened(databases_of_module.blank(tmp_path_factory.mktemp("filled")))) as database:
        list(populated(database))
        yield database


@pytest.fixture(scope="module")
def databases_of_module(database_kind: str, request: pytest.FixtureRequest) -> Databases:
    found: Databases = request.getfixturevalue(f"{database_kind}_databases")
    return found


def _numbers(database: Database) -> Numbers:
    with database.engine.connect() as connection:
        return Numbers(*connection.execute(text(READ)).one())


def _changed(database: Database, *statements: str) -> set[Subject]:
    """Execute statements in a transaction and return the subjects whose revision has changed."""
    before = _numbers(database)
    with database.write() as session:
        for statement in statements:
            session.execute(text(statement))
    after = _numbers(database)
    return {subject for subject in Subject if before.of(subject) != after.of(subject)}


@pytest.mark.parametrize(("subject", "table"), TABLES)
def test_exactly_the_cached_columns_change_the_revision(filled: Database, subject: Subject, table: str) -> None:
    columns = Base.metadata.tables[table].columns.keys()
    counting = {column for column in columns if _changed(filled, f'UPDATE {table} SET "{column}" = "{column}"')}
    assert counting == set(columns) - BOOKKEEPING[subject][table]


@pytest.mark.parametrize(("subject", "table"), TABLES)
def test_a_change_affects_only_its_subject(filled: Database, subject: Subject, table: str) -> None:
    key = next(iter(Base.metadata.tables[table].primary_key)).name
    assert _changed(filled, f"UPDATE {table} SET {key} = {key}") == {subject}


@pytest.mark.parametrize(
    ("table", "subjects"),
    [
        ("sessions", {Subject.CREDENTIALS}),
        ("users", {Subject.CREDENTIALS}),
        ("games", {Subject.CREDENTIALS, Subject.CONTENT}),
        ("tags", set()),
    ],
)
def test_deletions_change_the_revision_including_cascades(
    databases: Databases, tmp_path: Path, table: str, subjects: set[Subject]
) -> None:
    """Cascades delete the user's and the game's rows in other tables; links belong to versions, too."""
    (tmp_path / "data").mkdir()
    with closing(opened(databases.blank(tmp_path / "data"))) as database:
        list(populated(database))
        with database.write() as session:
            session.execute(text("UPDATE versions SET base_id = NULL"))
        assert _changed(database, f"DELETE FROM {table}") == subjects


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tasks SET progress = 60",
        "DELETE FROM failed_attempts",
        "INSERT INTO failed_attempts (key, at) VALUES ('key', '2026-01-01')",
        "UPDATE transfer_days SET bytes = bytes + 1",
        "UPDATE provider_states SET token = 'another'",
    ],
)
def test_progress_and_bookkeeping_do_not_change_the_revision(filled: Database, statement: str) -> None:
    assert _changed(filled, statement) == set()


def test_a_rollback_does_not_change_the_revision(filled: Database) -> None:
    before = _numbers(filled)
    with filled.engine.execution_options(writes=True).connect() as connection:
        connection.execute(text("UPDATE users SET enabled = NOT enabled"))
        connection.rollback()
    assert _numbers(filled) == before


def test_one_transaction_can_change_all_revisions(filled: Database) -> None:
    tables = (("users", "id"), ("games", "id"), ("stored_settings", "name"), ("users", "id"))
    changes = [f"UPDATE {table} SET {key} = {key}" for table, key in tables]
    assert _changed(filled, *changes) == set(Subject)


# --- The cache ---


def _write_elsewhere(database: Database, statement: str) -> None:
    address = database.url.render_as_string(hide_password=False)
    subprocess.run([sys.executable, "-c", _WRITE, address, statement], check=True, timeout=PATIENCE)


async def _remembers(database: Database, *changes: str) -> list[bool]:
    """Cache a user, and return whether it is still cached after each change of another process."""
    memory: CommitScopedCache[str, str] = CommitScopedCache(database, Subject.CREDENTIALS)
    found = []
    for change in changes:
        await memory.cached("ada")
        memory.store("ada", "Ada", revision=memory.revision)
        _write_elsewhere(database, change)
        found.append(await memory.cached("ada") == "Ada")
    return found


def test_changes_of_another_process_invalidate_the_cache(filled: Database) -> None:
    changes = ("UPDATE tasks SET progress = 1", "UPDATE users SET admin = NOT admin", "UPDATE sessions SET seen = seen")
    with closing(opened(filled.url.render_as_string(hide_password=False))) as database:
        assert asyncio.run(_remembers(database, *changes)) == [True, False, True]


async def _remember_too_late(database: Database) -> list[Any]:
    memory: CommitScopedCache[str, str] = CommitScopedCache(database, Subject.CREDENTIALS)
    await memory.cached("ada")
    before = memory.revision
    _write_elsewhere(database, "UPDATE users SET admin = NOT admin")
    await memory.cached("somebody else")
    memory.store("ada", "as she was", revision=before)
    return [await memory.cached("ada")]


def test_a_value_read_before_a_change_is_not_cached(filled: Database) -> None:
    with closing(opened(filled.url.render_as_string(hide_password=False))) as database:
        assert asyncio.run(_remember_too_late(database)) == [None]


async def _lose_and_find_the_server(database: Database, server: Database) -> list[Any]:
    memory: CommitScopedCache[str, str] = CommitScopedCache(database, Subject.CREDENTIALS)
    await memory.cached("ada")
    memory.store("ada", "Ada", revision=memory.revision)
    found = [await memory.cached("ada")]
    name = server.url.database
    with server.engine.connect() as connection:
        others = f"datname = '{name}' AND pid <> pg_backend_pid()"
        connection.execute(text(f"SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE {others}"))
    # The first query finds that the connection is lost, the second uses a new one.
    return [*found, await memory.cached("ada"), await memory.cached("ada")]


def test_the_cache_is_not_used_without_a_connection(filled: Database) -> None:
    if filled.embedded:
        pytest.skip("SQLite has no connection that can be lost.")
    with closing(opened(filled.url.render_as_string(hide_password=False))) as database:
        assert asyncio.run(_lose_and_find_the_server(database, filled)) == ["Ada", None, "Ada"]


async def _ask_a_silent_server(server: socket.socket, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    database = opened(f"postgresql+psycopg://ada@127.0.0.1:{server.getsockname()[1]}/games")
    monkeypatch.setattr(postgresql_revisions, "MAX_WAIT_SECONDS", 0.05)
    with closing(database):
        first = await database.revisions.latest()
        monkeypatch.setattr(postgresql_revisions, "MAX_WAIT_SECONDS", PATIENCE)
        second = await database.revisions.latest()
        is_asking = len(asyncio.all_tasks()) > 1
    return [first, second, is_asking]


def test_requests_do_not_wait_for_a_server_that_has_not_responded(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert asyncio.run(_ask_a_silent_server(server, monkeypatch)) == [None, None, True]


async def _ask_at_once(database: Database) -> tuple[int, set[Numbers | None]]:
    answers = await asyncio.gather(*(database.revisions.latest() for _ in range(100)))
    return len(answers), set(answers)


def test_simultaneous_callers_share_queries(filled: Database) -> None:
    with closing(opened(filled.url.render_as_string(hide_password=False))) as database:
        count, answers = asyncio.run(_ask_at_once(database))
    assert (count, answers) == (100, {_numbers(filled)})


async def _close_while_connecting(address: str) -> None:
    database = opened(address)
    asking = asyncio.create_task(database.revisions.latest())
    await asyncio.sleep(0)
    database.close()
    assert await asking is not None


def test_a_connection_established_after_closing_is_closed(filled: Database) -> None:
    if filled.embedded:
        pytest.skip("SQLite connects at once.")
    with warnings.catch_warnings(record=True) as unclosed:
        warnings.simplefilter("always")
        asyncio.run(_close_while_connecting(filled.url.render_as_string(hide_password=False)))
        gc.collect()
    assert [str(each.message) for each in unclosed] == []


def _store_number(database: Database) -> int:
    with database.engine.connect() as connection:
        number: int = connection.execute(text("SELECT store FROM cache_revisions")).scalar_one()
        return number


@pytest.mark.parametrize(
    ("statement", "changes"),
    [
        ("UPDATE versions SET platform = platform", True),
        ("UPDATE versions SET game_id = game_id", True),
        ("UPDATE game_tags SET position = position", True),
        ("UPDATE game_companies SET role = role", True),
        ("UPDATE tags SET name = name", True),
        ("UPDATE companies SET name = name", True),
        ("UPDATE games SET name = name, rating = rating, updated = updated", False),
        ("UPDATE versions SET size = size, verified = verified", False),
        ("UPDATE users SET display_name = display_name", False),
    ],
)
def test_changes_of_what_the_store_counts_change_its_number(filled: Database, statement: str, *, changes: bool) -> None:
    before = _store_number(filled)
    with filled.write() as session:
        session.execute(text(statement))
    assert (_store_number(filled) != before) == changes


def _copy_of_a_row(table: str, **other: str) -> str:
    """Return the statement that inserts a row again with some other values."""
    columns = Base.metadata.tables[table].columns.keys()
    values = [f"'{other[each]}'" if each in other else f'"{each}"' for each in columns]
    named = ", ".join(f'"{each}"' for each in columns)
    return f"INSERT INTO {table} ({named}) SELECT {', '.join(values)} FROM {table} LIMIT 1"


@pytest.mark.parametrize(
    ("table", "others"),
    [
        ("games", {"id": "another", "path": "another", "metadata_id": "another"}),
        ("versions", {"id": "another", "name": "another", "position": "77"}),
    ],
)
def test_new_rows_that_the_store_counts_change_its_number(
    databases: Databases, tmp_path: Path, table: str, others: dict[str, str]
) -> None:
    (tmp_path / "data").mkdir()
    with closing(opened(databases.blank(tmp_path / "data"))) as database:
        list(populated(database))
        before = _store_number(database)
        with database.write() as session:
            session.execute(text(_copy_of_a_row(table, **others)))
        assert _store_number(database) != before


# What refers to the rows of a table, and is counted too: no cascade is to change the number instead.
REFERRING = {
    "tags": ("game_tags",),
    "companies": ("game_companies",),
    "games": ("versions", "game_tags", "game_companies"),
}


@pytest.mark.parametrize("table", ["games", "versions", "game_tags", "game_companies", "tags", "companies"])
def test_deletions_of_what_the_store_counts_change_its_number(databases: Databases, tmp_path: Path, table: str) -> None:
    (tmp_path / "data").mkdir()
    with closing(opened(databases.blank(tmp_path / "data"))) as database:
        list(populated(database))
        with database.write() as session:
            session.execute(text("UPDATE versions SET base_id = NULL"))
            for other in REFERRING.get(table, ()):
                session.execute(text(f"DELETE FROM {other}"))
        before = _store_number(database)
        with database.write() as session:
            session.execute(text(f"DELETE FROM {table}"))
        assert _store_number(database) != before
