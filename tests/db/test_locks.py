"""A transaction takes locks in one order."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import Databases
from playdock.db.database import Database
from playdock.db.errors import LockOrderViolation
from playdock.db.locks import LockLevel, advisory_lock, record_lock, record_locked
from playdock.settings import Settings


@pytest.fixture
def db(databases: Databases, tmp_path: Path) -> Iterator[Database]:
    db = Database(Settings(data_dir=tmp_path, database_url=databases.fresh(tmp_path)).database)
    yield db
    db.close()


def test_all_levels_can_be_locked_in_their_order(db: Database) -> None:
    with db.write() as session:
        for level in LockLevel:
            advisory_lock(session, level, "a")
            advisory_lock(session, level, "b")


@pytest.mark.parametrize(("first", "second"), [(LockLevel.GAME, LockLevel.TASK), (LockLevel.TAGS, LockLevel.COMPANIES)])
def test_a_lower_level_after_a_higher_one_is_an_error(db: Database, first: LockLevel, second: LockLevel) -> None:
    with db.write() as session:
        record_lock(session, first, "a")
        with pytest.raises(LockOrderViolation, match=f"{second.name} is locked after {first.name}"):
            advisory_lock(session, second)


def test_locks_of_one_level_are_taken_in_the_order_of_their_keys(db: Database) -> None:
    with db.write() as session:
        record_lock(session, LockLevel.GAME, "b")
        with pytest.raises(LockOrderViolation, match="GAME a is locked after GAME b"):
            record_lock(session, LockLevel.GAME, "a")


def test_a_lock_that_is_held_can_be_taken_again(db: Database) -> None:
    with db.write() as session:
        advisory_lock(session, LockLevel.COMPANIES)
        record_locked(session, LockLevel.GAME, ["a", "b"])
        advisory_lock(session, LockLevel.COMPANIES)
        record_lock(session, LockLevel.GAME, "a")
        record_locked(session, LockLevel.GAME, ["b", "c"])


def test_a_statement_that_finds_no_rows_records_no_locks(db: Database) -> None:
    with db.write() as session:
        record_locked(session, LockLevel.GAME, [])
        record_lock(session, LockLevel.TASK)


def test_the_next_transaction_starts_without_locks(db: Database) -> None:
    with db.write() as session:
        advisory_lock(session, LockLevel.GAME)
    with db.write() as session:
        advisory_lock(session, LockLevel.TASK)
