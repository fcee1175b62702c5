"""Copies of a SQLite database, made before the upgrade of its schema."""

import glob
import os
import shutil
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from playdock.db.errors import CopyFailed

# Enough to go back by one release after several attempts; more would fill the disk without anybody noticing.
KEPT = 3
# The copy, and as much again for the upgrade, which may rewrite all tables.
_SPACE_FACTOR = 2
_MARK = "before-upgrade"
_MIB = 1024**2


def copy(file: Path, *, revision: str, at: datetime) -> Path:
    """Copy a database next to it, keep only the newest copies, and return the new one.

    Raises:
        CopyFailed: there is not enough space, or the database cannot be read or the copy written.
    """
    target = file.with_name(f"{file.stem}-{_MARK}-{at:%Y-%m-%dT%H%M%SZ}-schema-{revision}{file.suffix}")
    try:
        _require_space(file)
        write_copy(file, target)
        for old in _copies(file)[:-KEPT]:
            old.unlink()
    except OSError as error:
        raise CopyFailed((error.strerror or str(error)).lower()) from None
    except sqlite3.Error as error:
        raise CopyFailed(str(error)) from None
    return target


def _copies(file: Path) -> list[Path]:
    """Return the copies of a database, oldest first."""
    return sorted(file.parent.glob(f"{glob.escape(file.stem)}-{_MARK}-*{glob.escape(file.suffix)}"))


def _require_space(file: Path) -> None:
    log = file.with_name(f"{file.name}-wal")
    needed = _SPACE_FACTOR * (file.stat().st_size + (log.stat().st_size if log.exists() else 0))
    free = shutil.disk_usage(file.parent).free
    if free < needed:
        raise CopyFailed(f"{needed // _MIB} MiB are needed in its folder, but only {free // _MIB} MiB are free")


def write_copy(file: Path, target: Path) -> None:
    """Write a copy that is complete or does not exist, readable only for the service's user."""
    descriptor = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with closing(sqlite3.connect(file, isolation_level=None)) as connection:
            connection.execute("VACUUM INTO ?", (str(target),))
        os.fsync(descriptor)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)
