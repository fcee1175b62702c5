"""The folder in which another server stores images and saved games."""

from pathlib import Path

from msgspec import Struct

# Larger ones are refused as images anyway.
_MAX_BYTES = 32 * 1024 * 1024


class ObjectFolder(Struct, frozen=True):
    """Reads files below a folder; without one, it has none."""

    folder: Path | None

    def read(self, path: str) -> bytes | None:
        """Return a file by its path, None if there is none, if it is too large, or if it is outside of the folder."""
        file = self.find(path)
        try:
            return file.read_bytes() if file and file.stat().st_size <= _MAX_BYTES else None
        except OSError:
            return None

    def find(self, path: str) -> Path | None:
        """Return where a file is by its path, None if there is none, or if it is outside of the folder.

        The named folder may also be the one with the files themselves, which is the first part of their paths.
        """
        if self.folder is None or not path:
            return None
        base = self.folder.resolve()
        for name in dict.fromkeys((path, path.partition("/")[2])):
            file = (base / name).resolve() if name else base
            try:
                if file.is_relative_to(base) and file.is_file():
                    return file
            except (OSError, ValueError):
                continue
        return None
