"""The lock that a backup has while it copies objects."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import Databases
from playdock.db.database import Database
from playdock.db.deletion_lock import deleting, deletions_held
from playdock.db.errors import DeletionLockLost, DeletionLockTaken
from playdock.settings import Settings
from postgresql import end_connections_with_locks


@pytest.fixture
def db(databases: Databases, tmp_path: Path) -> Iterator[Database]:
    db = Database(Settings(data_dir=tmp_path, database_url=databases.fresh(tmp_path)).database)
    yield db
    db.close()


@pytest.mark.both_databases
def test_only_one_backup_has_the_lock_and_nobody_deletes(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playdock.db.deletion_lock._MAX_WAIT_SECONDS", 0.2)
    with deletions_held(db) as require_held:
        with pytest.raises(DeletionLockTaken), deletions_held(db):
            pass
        with deleting(db) as allowed:
            assert not allowed
        require_held()
    with deleting(db) as allowed:
        assert allowed


@pytest.mark.both_databases
def test_a_backup_learns_that_its_connection_was_lost(db: Database) -> None:
    if db.embedded:
        pytest.skip("A lock of the system is never lost.")
    with pytest.raises(DeletionLockLost), deletions_held(db) as require_held:  # noqa: PT012 - both lose the lock
        end_connections_with_locks(db.url.render_as_string(hide_password=False))
        require_held()
