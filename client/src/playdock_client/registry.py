"""The list of installations on this machine.

Each entry has its own file, so that concurrent processes do not overwrite each other's. An installation is described in
its own folder; the entry contains only the path, and a name for when the folder is missing.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from playdock_client.documents import read_document, write_document


class RegistryEntry(msgspec.Struct, frozen=True, rename="camel"):
    """An installation: its folder, the server and id of its game, and the game's name."""

    folder: str
    server: str
    game: str
    name: str


@dataclass(frozen=True, slots=True)
class Registry:
    """The entries in one folder, a JSON file each."""

    folder: Path

    def entries(self) -> list[RegistryEntry]:
        """Return all installations by name. Invalid files are ignored."""
        return sorted(self._read(), key=lambda each: (each.name.casefold(), each.folder))

    def add(self, entry: RegistryEntry) -> None:
        if entry not in self._read():
            write_document(self._document(Path(entry.folder)), entry)

    def remove(self, folder: Path) -> None:
        self._document(folder).unlink(missing_ok=True)

    def _read(self) -> Iterator[RegistryEntry]:
        for file in self.folder.glob("*.json"):
            try:
                entry = read_document(file, RegistryEntry)
            except msgspec.MsgspecError:
                continue
            if entry is not None:
                yield entry

    def _document(self, folder: Path) -> Path:
        return self.folder / f"{hashlib.sha256(str(folder).encode(errors='surrogateescape')).hexdigest()[:32]}.json"
