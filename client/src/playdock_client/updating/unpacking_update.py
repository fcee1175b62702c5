"""Unpacks the archive of an update. It contains only regular files, so anything else is refused."""

import lzma
import tarfile
from pathlib import Path

from playdock_client.errors import BadResponse
from playdock_client.names import path_problem, quoted

# Several times of what today's versions have.
_MAX_FILES = 20_000
_MAX_BYTES = 1024 * 1024 * 1024
_PIECE = 1024 * 1024


class BadArchive(BadResponse):
    """The archive is damaged or contains what an update must not contain."""


def unpack_update(archive: Path, folder: Path) -> None:
    """Unpack an archive into an empty folder. Raises BadArchive, OSError."""
    files = total = 0
    try:
        with tarfile.open(archive, "r:xz") as entries:
            for entry in entries:
                files, total = files + 1, total + entry.size
                if files > _MAX_FILES or total > _MAX_BYTES:
                    raise BadArchive("The update is larger than allowed.")
                _unpack_file(entries, entry, folder)
    except (tarfile.TarError, lzma.LZMAError, EOFError, ValueError) as error:
        raise BadArchive(f"The update is damaged: {error}.") from error


def _unpack_file(entries: tarfile.TarFile, entry: tarfile.TarInfo, folder: Path) -> None:
    problem = path_problem(entry.name)
    content = entries.extractfile(entry) if entry.isreg() else None
    if problem or content is None:
        raise BadArchive(f"The update contains {quoted(entry.name)}: {problem or 'it is not a regular file'}.")
    target = folder / entry.name
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        while piece := content.read(_PIECE):
            file.write(piece)
    target.chmod(0o755 if entry.mode & 0o100 else 0o644)
