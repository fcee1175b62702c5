"""Upgrades of the schema: what they log and record, and the copy of a SQLite database that is made before."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import inspect, select
from structlog.testing import capture_logs

from first_schema_rows import GAME
from playdock import __version__
from playdock.db import copies
from playdock.db.database import Database
from playdock.db.errors import CopyFailed
from playdock.db.migrate import is_current, migrate, revisions
from playdock.kit.clock import utc_now
from playdock.models import SchemaUpgrade
from schema_dumps import DUMPS

from .conftest import opened

_REVISION = "0010"


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Database]:
    """A SQLite database with an earlier schema."""
    file = tmp_path / "data" / "play*dock.sqlite3"
    file.parent.mkdir()
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript((DUMPS / "sqlite" / f"{_REVISION}.sql").read_text())
    found = opened(f"sqlite:///{file}")
    yield found
    found.close()


def _copies(database: Database) -> list[Path]:
    assert database.url.database is not None
    return sorted(Path(database.url.database).parent.glob("*before-upgrade*"))


def test_an_upgrade_says_what_it_does_and_how_far_it_is(old: Database) -> None:
    with capture_logs() as logs:
        migrate(old)
    steps = [line for line in logs if line["event"] == "upgrading the database"]
    pending = [revision for revision in revisions() if revision > _REVISION]
    assert [line["schema"] for line in steps] == pending
    assert [line["step"] for line in steps] == [f"{n} of {len(pending)}" for n in range(1, len(pending) + 1)]
    assert all(line["purpose"].endswith(".") for line in steps)
    assert logs[-1] == {"event": "the database has been upgraded", "schema": pending[-1], "log_level": "info"}


@pytest.mark.both_databases
def test_the_first_start_logs_nothing_and_records_the_release(blank: str, tmp_path: Path) -> None:
    with closing(opened(blank)) as database, capture_logs() as logs:
        migrate(database)
        with database.read() as session:
            [upgrade] = session.scalars(select(SchemaUpgrade)).all()
    assert (upgrade.revision, upgrade.release, logs) == (revisions()[-1], __version__, [])
    assert abs(upgrade.at - utc_now()) < timedelta(hours=1)
    assert list(tmp_path.rglob("*before-upgrade*")) == []


def test_the_database_is_copied_before_it_is_upgraded(old: Database) -> None:
    migrate(old)
    migrate(old)
    [copy] = _copies(old)
    assert copy.name.endswith(f"-schema-{_REVISION}.sqlite3")
    assert copy.stat().st_mode & 0o777 == 0o600
    with closing(Database(f"sqlite:///{copy}")) as database:
        assert not is_current(database)
        assert not inspect(database.engine).has_table("schema_upgrades")
        with database.engine.connect() as connection:
            assert connection.exec_driver_sql("SELECT id FROM games").scalar() == GAME
        migrate(database)
        assert is_current(database)


def test_without_space_for_a_copy_nothing_is_changed(old: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    full = shutil.disk_usage("/")._replace(free=1)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _place: full)
        with pytest.raises(CopyFailed, match=r"MiB are needed .* only 0 MiB are free. Nothing was changed."):
            migrate(old)
    assert (is_current(old), _copies(old)) == (False, [])
    migrate(old)
    assert is_current(old)


def test_a_copy_that_cannot_be_completed_is_deleted(old: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(CopyFailed, match="no space left on device"):
            migrate(old)
    assert (is_current(old), _copies(old)) == (False, [])


def test_only_the_newest_copies_are_kept(old: Database) -> None:
    assert old.url.database is not None
    file, now = Path(old.url.database), utc_now()
    other = file.with_name("playXdock-before-upgrade-1.sqlite3")
    other.touch()
    made = [copies.copy(file, revision=_REVISION, at=now + timedelta(days=day)) for day in range(copies.KEPT + 2)]
    assert [copy for copy in _copies(old) if copy != other] == made[-copies.KEPT :]
    assert other.exists()
