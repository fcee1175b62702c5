"""The mark of a place into which a backup is being restored: a file in the data folder, or a table in PostgreSQL."""

import os
from pathlib import Path

from playdock.backups.errors import RestoreInterrupted
from playdock.db import restore_mark
from playdock.db.database import Database

NAME = "restore-unfinished"


def require_restored(data_dir: Path, db: Database) -> None:
    """Check that no restore into this place was interrupted.

    Raises:
        RestoreInterrupted: one was.
    """
    if name := restored_in_part(data_dir, db):
        raise RestoreInterrupted(name)


def restored_in_part(data_dir: Path, db: Database) -> str | None:
    """Return the name of the backup whose restore was interrupted."""
    if not db.embedded:
        return restore_mark.marked(db)
    try:
        return (data_dir / NAME).read_text()
    except (FileNotFoundError, NotADirectoryError):
        return None


def mark(data_dir: Path, db: Database, name: str) -> None:
    """Create the data folder, and the mark.

    Raises:
        RestoreInterrupted: another process restores a backup into this database.
    """
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not db.embedded:
        if not restore_mark.mark(db, name):
            require_restored(data_dir, db)
        return
    descriptor = os.open(data_dir / NAME, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(name)
        file.flush()
        os.fsync(descriptor)


def unmark(data_dir: Path, db: Database) -> None:
    if db.embedded:
        (data_dir / NAME).unlink()
    else:
        restore_mark.unmark(db)
