"""Assignment of files of a newer installation to the files of an older one that they most likely replace.

The counterpart of a file is the one that contains most of its chunks, measured in bytes, if that is more than the one
with the same path contains; otherwise the one with the same path; otherwise, among the removed files, one whose name
differs only in numbers, such as versions and hashes.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from operator import attrgetter

from playdock.content.chunks import unpack
from playdock.content.layers import Installation, InstalledFile

# Six or more hexadecimal digits as a separate word with a decimal digit among them, or numbers separated by dots.
_NUMBERS = re.compile(r"(?<![0-9a-z])(?=[a-f]*[0-9])[0-9a-f]{6,}(?![0-9a-z])|[0-9]+(?:[._][0-9]+)*")
_size = attrgetter("record.size")


def shape(path: str) -> str:
    """Return a path in lower case with its numbers replaced; it is equal for paths that differ only in numbers."""
    return _NUMBERS.sub("#", path.lower())


class Counterparts:
    """An index of the files and chunks of an older installation."""

    def __init__(self, old: Installation, new: Installation) -> None:
        self._by_path = {file.record.path: file for file in old.files}
        self._by_chunk = {chunk.id: file for file in old.files for chunk in unpack(file.record.chunks)}
        new_paths = {file.record.path for file in new.files}
        removed = [file for file in old.files if file.record.path not in new_paths]
        self._by_shape = _by_shape((shape(file.record.path), file) for file in removed)
        self._by_name = _by_shape((_name(file), file) for file in removed)

    def has(self, chunk: bytes) -> bool:
        """Return whether the older installation contains a chunk with this id."""
        return chunk in self._by_chunk

    def find(self, file: InstalledFile) -> InstalledFile | None:
        """Return the counterpart of a newer file, or None if there is none."""
        return self._by_chunks(file) or self._by_path.get(file.record.path) or self._by_similar_name(file)

    def _by_chunks(self, file: InstalledFile) -> InstalledFile | None:
        """Return the file that contains most of the chunks, if it is not the one with the same path."""
        same = self._by_path.get(file.record.path)
        in_same = {chunk.id for chunk in unpack(same.record.chunks)} if same else set()
        shared: Counter[str] = Counter()
        for chunk in unpack(file.record.chunks):
            if chunk.id in in_same:
                shared[file.record.path] += chunk.length
            elif owner := self._by_chunk.get(chunk.id):
                shared[owner.record.path] += chunk.length
        # A file with the same path that contains as many bytes is the counterpart.
        most = max(shared, key=lambda path: (shared[path], path == file.record.path), default=file.record.path)
        return self._by_path[most] if most != file.record.path else None

    def _by_similar_name(self, file: InstalledFile) -> InstalledFile | None:
        """Return the file of the nearest size among those with the same path shape, or else the same name shape."""
        candidates = self._by_shape.get(shape(file.record.path)) or self._by_name.get(_name(file))
        if not candidates:
            return None
        at = bisect_left(candidates, file.record.size, key=_size)
        return min(candidates[max(at - 1, 0) : at + 1], key=lambda other: abs(other.record.size - file.record.size))


def _name(file: InstalledFile) -> str:
    return shape(file.record.path.rpartition("/")[2])


def _by_shape(files: Iterable[tuple[str, InstalledFile]]) -> dict[str, list[InstalledFile]]:
    """Return lists of files by shape, each in ascending order of size."""
    groups: dict[str, list[InstalledFile]] = defaultdict(list)
    for key, file in files:
        groups[key].append(file)
    return {key: sorted(group, key=_size) for key, group in groups.items()}
