"""Databases of earlier schemas with rows in all tables: the service works with them after the migration."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import select, text, update

from databases import Databases
from first_schema_rows import GAME, PASSWORD, SESSION
from playdock.db.migrate import is_current, migrate, revisions
from playdock.models import DeliveryPreferences, NotificationPreferences, Webhook
from schema_dumps import DUMPS
from schema_rows import ROWS
from world import running_world

from .conftest import opened

pytestmark = pytest.mark.both_databases

PATIENCE = 120
_MIGRATE = "import sys; from playdock.db import database, migrate; migrate.migrate(database.Database(sys.argv[1]))"


@pytest.fixture
def load(databases: Databases, database_kind: str, tmp_path: Path) -> Callable[[str], str]:
    """Return a function that creates a database from the dump of a schema and returns its URL."""

    def loaded(revision: str) -> str:
        (tmp_path / "data").mkdir()
        address, statements = (
            databases.blank(tmp_path / "data"),
            (DUMPS / database_kind / f"{revision}.sql").read_text(),
        )
        if database_kind == "postgresql":
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute(statements.encode())
        else:
            with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as file:
                file.executescript(statements)
        return address

    return loaded


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_every_earlier_schema_has_a_dump(kind: str) -> None:
    dumps = {file.stem for file in (DUMPS / kind).glob("*.sql")}
    assert set(revisions()[:-1]) <= dumps, "Run make schema-dumps."


# Migration 0010 renamed these.
_RENAMED = {
    "failures": "failed_attempts",
    "mechanisms": "sign_in_methods",
    "provider_answers": "provider_responses",
    "task_lines": "task_log",
}


def _count_rows(address: str, revision: str) -> dict[str, tuple[int, int]]:
    """Migrate, and return the number of rows before and after, for each table of the dump."""
    rows = [table for known, rows in ROWS.items() if known <= revision for table, _ in rows]
    with closing(opened(address)) as database:
        assert not is_current(database)
        migrate(database)
        assert is_current(database)
        with database.engine.connect() as connection:
            return {
                table: (
                    rows.count(table),
                    connection.scalar(text(f"SELECT count(*) FROM {_RENAMED.get(table, table)}")),
                )
                for table in rows
            }


# Rows of the first schema pass through all migrations, and the latest dumps have rows in all tables.
_EARLIER = revisions()[:-1]
_CASES = [
    pytest.param(each, marks=[] if each in {_EARLIER[0], *_EARLIER[-2:]} else pytest.mark.heavy) for each in _EARLIER
]


@pytest.mark.parametrize("revision", _CASES)
def test_the_service_works_on_a_migrated_database(load: Callable[[str], str], tmp_path: Path, revision: str) -> None:
    address = load(revision)
    counts = _count_rows(address, revision)
    assert [table for table, (before, after) in counts.items() if before != after] == []

    with running_world(tmp_path, database_url=address) as world:
        signed_in = world.sign_in("ada", PASSWORD)
        ada, old = world.with_token(signed_in.json()["accessToken"]), world.with_token(SESSION)
        listed = ada.get("/api/v1/store", params={"q": "portall"}).json()["games"]
        page = ada.get(f"/api/v1/games/{GAME}").json()
        versions = ada.get(f"/api/v1/games/{GAME}/versions").json()
        changed = old.patch("/api/v1/user", {"displayName": "Countess"})

        assert (signed_in.status_code, changed.status_code) == (200, 200)
        assert ([game["id"] for game in listed], page["id"]) == ([GAME], GAME)
        assert sorted(version["name"] for version in versions) == ["1.0", "1.1"]
        assert ada.get("/api/v1/user").json()["displayName"] == "Countess"


def test_what_was_turned_off_everywhere_is_delivered_in_no_other_way(load: Callable[[str], str]) -> None:
    # The user of the dump had turned off new games, and selected them for email.
    with closing(opened(load("0036"))) as database:
        migrate(database)
        with database.read() as session:
            [delivery] = session.scalars(select(DeliveryPreferences)).all()
            assert delivery.preferences["channels"] == {"email": []}
            assert delivery.preferences["quietFrom"] == "22:00"


def test_who_was_told_of_damaged_versions_is_told_of_missing_ones(load: Callable[[str], str]) -> None:
    with closing(opened(load("0040"))) as database:
        with database.write() as session:
            channels = {"email": ["disk.low", "version.damaged"], "push": ["game.added"]}
            session.execute(update(DeliveryPreferences).values(preferences={"channels": channels, "timeZone": "UTC"}))
            session.execute(update(NotificationPreferences).values(preferences={"muted": ["version.damaged"]}))
            session.execute(update(Webhook).values(event_types=["version.damaged"]))
        migrate(database)
        with database.read() as session:
            [delivery] = session.scalars(select(DeliveryPreferences.preferences)).all()
            [muted] = session.scalars(select(NotificationPreferences.preferences)).all()
            [sent] = session.scalars(select(Webhook.event_types)).all()
    both = ["version.damaged", "version.missing"]
    assert delivery == {"channels": {"email": ["disk.low", *both], "push": ["game.added"]}, "timeZone": "UTC"}
    assert (muted, sent) == ({"muted": both}, both)


def test_processes_can_migrate_a_database_with_rows_simultaneously(load: Callable[[str], str]) -> None:
    address = load("0001")
    with closing(opened(address)) as database:
        url = database.url.render_as_string(hide_password=False)
        racers = [subprocess.Popen([sys.executable, "-W", "error", "-c", _MIGRATE, url]) for _ in range(2)]
        assert [racer.wait(PATIENCE) for racer in racers] == [0, 0]
        assert is_current(database)
        with database.engine.connect() as connection:
            assert connection.scalar(text("SELECT count(*) FROM search_entries")) == 1
