"""The file that marks a data folder into which a backup is being restored."""

import os
from pathlib import Path

from playdock.backups.errors import RestoreInterrupted

NAME = "restore-unfinished"


def require_restored(data_dir: Path) -> None:
    """Check that no restore into a data folder was interrupted.

    Raises:
        RestoreInterrupted: one was.
    """
    if name := restored_in_part(data_dir):
        raise RestoreInterrupted(name)


def restored_in_part(data_dir: Path) -> str | None:
    """Return the name of the backup whose restore was interrupted."""
    try:
        return (data_dir / NAME).read_text()
    except (FileNotFoundError, NotADirectoryError):
        return None


def mark(data_dir: Path, name: str) -> None:
    """Create the data folder with the mark."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(data_dir / NAME, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(name)
        file.flush()
        os.fsync(descriptor)


def unmark(data_dir: Path) -> None:
    (data_dir / NAME).unlink()
