"""Which installations there are on this machine.

Each has a document of its own, so that two programs which install at once do not write over each other. What an
installation is stands in its folder; here stands only where the folder is, and what to call it when it is gone.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from playdock_client.documents import read_document, write_document


class Entry(msgspec.Struct, frozen=True, rename="camel"):
    """An installation: its folder, the server and game it came from, and the game's name."""

    folder: str
    server: str
    game: str
    name: str


@dataclass(frozen=True, slots=True)
class Registry:
    """The documents in one folder."""

    folder: Path

    def entries(self) -> list[Entry]:
        """Give all installations by name; documents that are not ours are passed over."""
        return sorted(self._read(), key=lambda each: (each.name.casefold(), each.folder))

    def add(self, entry: Entry) -> None:
        if entry not in self._read():
            write_document(self._document(Path(entry.folder)), entry)

    def remove(self, folder: Path) -> None:
        self._document(folder).unlink(missing_ok=True)

    def _read(self) -> Iterator[Entry]:
        for file in self.folder.glob("*.json"):
            try:
                entry = read_document(file, Entry)
            except msgspec.MsgspecError:
                continue
            if entry is not None:
                yield entry

    def _document(self, folder: Path) -> Path:
        return self.folder / f"{hashlib.sha256(str(folder).encode(errors='surrogateescape')).hexdigest()[:32]}.json"
