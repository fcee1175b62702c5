"""Comparing: whether a folder or archive has the content that another one had when it was imported.

Names and sizes are compared for all files, bytes for a few chunks only: reading all of them is what an import is for.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

from blake3 import blake3

from playdock.content.chunks import Chunk, unpack
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.names import shown
from playdock.content.records import FileRecord, Layer
from playdock.storage.entries import Entry, Reader, Tree

_CHUNKS_COMPARED = 64
_MOST_NAMED = 3
_FEW = 4


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs, at most three sentences, and whether all files have the times they were imported with."""

    differences: tuple[str, ...]
    same_times: bool


def compare(tree: Tree, layer: Layer) -> Comparison:
    """Hold a tree to the records of an import. Raises OSError where the disk fails."""
    entries = {record.path: _find(tree, record) for record in layer.files}
    differences = tuple(islice(_differences(tree, layer, entries), _MOST_NAMED))
    times = (entry.mtime_ns if entry else 0 for entry in entries.values())
    same_times = all(time == record.mtime_ns for time, record in zip(times, layer.files, strict=True))
    return Comparison(differences, same_times)


def count_alike(tree: Tree, files: Sequence[FileRecord]) -> int:
    """Give how many of some files are there with their sizes; none, if the first few are not."""
    alike = 0
    for number, record in enumerate(files):
        if number == _FEW and not alike:
            return 0
        entry = _find(tree, record)
        alike += entry is not None and entry.size == record.size
    return alike


def _differences(tree: Tree, layer: Layer, entries: dict[str, Entry | None]) -> Iterator[str]:
    for record in layer.files:
        entry = entries[record.path]
        if entry is None:
            yield f"{shown(record.path)} is not there."
        elif entry.size != record.size:
            yield f"{shown(record.path)} is of another size."
    with tree.reader() as reader:
        differing = ""
        for record, position in _spread(layer):
            entry = entries[record.path]
            if entry and record.path != differing and not _is_alike(reader, entry, record, position=position):
                differing = record.path
                yield f"{shown(record.path)} has other content."


def _find(tree: Tree, record: FileRecord) -> Entry | None:
    try:
        return tree.entry(record.path)
    except (UnusableVersion, VersionChanged):
        return None


def _spread(layer: Layer) -> Iterator[tuple[FileRecord, int]]:
    """Give files with positions in them that are spread evenly over the layer's image."""
    ends = list(accumulate(record.size for record in layer.files))
    size = ends[-1] if ends else 0
    for place in sorted({size * number // _CHUNKS_COMPARED for number in range(_CHUNKS_COMPARED)}) if size else ():
        record = layer.files[number := bisect_right(ends, place)]
        yield record, place - (ends[number] - record.size)


def _is_alike(reader: Reader, entry: Entry, record: FileRecord, *, position: int) -> bool:
    """Tell whether the chunk at a position is there; the first one, where a file can only be unpacked as a whole."""
    offset, chunk = _chunk_at(record, position)
    try:
        with reader.open(entry, offset=offset) as source:
            if source.start != offset:
                _, chunk = _chunk_at(record, 0)
            room = memoryview(bytearray(chunk.length))
            filled = 0
            while filled < len(room) and (count := source.readinto(room[filled:])):
                filled += count
    except (UnusableVersion, VersionChanged):
        return False
    return blake3(room[:filled]).digest() == chunk.id


def _chunk_at(record: FileRecord, position: int) -> tuple[int, Chunk]:
    chunks = list(unpack(record.chunks))
    ends = list(accumulate(chunk.length for chunk in chunks))
    number = bisect_right(ends, position)
    return ends[number] - chunks[number].length, chunks[number]
