"""Which file of an older installation a file of a newer one was made from.

The one of the same path; else the one that most of its chunks are in; else, of those that are gone, one whose name
differs in nothing but numbers, as names with versions or hashes in them do.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from operator import attrgetter

from playdock.content.chunks import unpack
from playdock.content.layers import Installation, InstalledFile

# Six or more hexadecimal digits that stand alone, with a decimal one among them; or numbers with dots between.
_NUMBERS = re.compile(r"(?<![0-9a-z])(?=[a-f]*[0-9])[0-9a-f]{6,}(?![0-9a-z])|[0-9]+(?:[._][0-9]+)*")
_size = attrgetter("record.size")


def shape(path: str) -> str:
    """Give what is left of a path without its numbers and its upper case: equal for files that are alike by name."""
    return _NUMBERS.sub("#", path.lower())


class Counterparts:
    """The files and chunks of an older installation, to be looked for."""

    def __init__(self, old: Installation, new: Installation) -> None:
        self._by_path = {file.record.path: file for file in old.files}
        self._homes = {chunk.id: file for file in old.files for chunk in unpack(file.record.chunks)}
        kept = {file.record.path for file in new.files}
        gone = [file for file in old.files if file.record.path not in kept]
        self._by_shape = _by_shape((shape(file.record.path), file) for file in gone)
        self._by_name = _by_shape((_name(file), file) for file in gone)

    def has(self, chunk: bytes) -> bool:
        """Tell whether a chunk of this id is anywhere in the older installation."""
        return chunk in self._homes

    def of(self, file: InstalledFile) -> InstalledFile | None:
        """Give the file that a newer one was likely made from."""
        return self._by_path.get(file.record.path) or self._by_chunks(file) or self._alike(file)

    def _by_chunks(self, file: InstalledFile) -> InstalledFile | None:
        shared: Counter[str] = Counter()
        for chunk in unpack(file.record.chunks):
            if home := self._homes.get(chunk.id):
                shared[home.record.path] += chunk.length
        return self._by_path[shared.most_common(1)[0][0]] if shared else None

    def _alike(self, file: InstalledFile) -> InstalledFile | None:
        """Give the file of the nearest size among those of a like path, or else of a like name."""
        found = self._by_shape.get(shape(file.record.path)) or self._by_name.get(_name(file))
        if not found:
            return None
        at = bisect_left(found, file.record.size, key=_size)
        return min(found[max(at - 1, 0) : at + 1], key=lambda other: abs(other.record.size - file.record.size))


def _name(file: InstalledFile) -> str:
    return shape(file.record.path.rpartition("/")[2])


def _by_shape(files: Iterable[tuple[str, InstalledFile]]) -> dict[str, list[InstalledFile]]:
    """Sort files into lists by their shapes, the smallest first."""
    found: dict[str, list[InstalledFile]] = defaultdict(list)
    for shaped, file in files:
        found[shaped].append(file)
    return {shaped: sorted(alike, key=_size) for shaped, alike in found.items()}
