"""Files that are written completely or not at all."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

# The end of the names of temporary files; killed processes leave them behind.
UNFINISHED = ".unfinished"


def write_atomically(file: Path, data: bytes) -> None:
    """Write a file atomically, so that it is complete even after a power failure. Only its owner can read it."""
    write_pieces_atomically(file, [data])


def write_pieces_atomically(file: Path, pieces: Iterable[bytes]) -> None:
    """Write a file like `write_atomically`, piece by piece."""
    descriptor, temporary = tempfile.mkstemp(prefix=f".{file.name}.", suffix=UNFINISHED, dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.writelines(pieces)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    flush_folder(file.parent)


def flush_folder(folder: Path) -> None:
    """Flush the entries of a folder to disk, on systems that require it."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
