"""Compare a folder or archive with an imported version.

Names and sizes are compared for all files, but bytes only for a few chunks: reading everything would take as long as an
import.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice

from blake3 import blake3
from msgspec import Struct

from playdock.content.chunks import Chunk, unpack
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.names import printable
from playdock.content.records import FileRecord, Layer
from playdock.kit.messages import Message
from playdock.storage.entries import Reader, Tree, TreeEntry

# Bounds the reads to 64 chunks for a game of any size, which takes seconds even on a slow network share.
_CHUNKS_COMPARED = 64
# A message remains readable with this many differences.
_MAX_NAMED_FILES = 3
# If none of the first files matches, it is very probably another game.
_FIRST_FILES = 4


class Comparison(Struct, frozen=True):
    """The differences, as at most three sentences, and whether all modification times are those of the import."""

    differences: tuple[Message, ...]
    same_times: bool


def compare(tree: Tree, layer: Layer) -> Comparison:
    """Compare a tree with the records of an import. Raises OSError if the disk fails."""
    entries = {record.path: _find(tree, record) for record in layer.files}
    differences = tuple(islice(_differences(tree, layer, entries), _MAX_NAMED_FILES))
    times = (entry.mtime_ns if entry else 0 for entry in entries.values())
    same_times = all(time == record.mtime_ns for time, record in zip(times, layer.files, strict=True))
    return Comparison(differences, same_times)


def additions(tree: Tree, layer: Layer) -> Iterator[Message]:
    """Yield sentences about files of a tree that an import does not have, at most three."""
    known = {record.path for record in layer.files}
    added = (file.path for file in tree.names() if file.path not in known)
    return (Message("file-not-of-version", path=printable(path)) for path in islice(added, _MAX_NAMED_FILES))


def count_alike(tree: Tree, files: Sequence[FileRecord]) -> int:
    """Return how many of some files exist with the same size, or 0 if none of the first few does."""
    alike = 0
    for number, record in enumerate(files):
        if number == _FIRST_FILES and not alike:
            return 0
        entry = _find(tree, record)
        alike += entry is not None and entry.size == record.size
    return alike


def _differences(tree: Tree, layer: Layer, entries: dict[str, TreeEntry | None]) -> Iterator[Message]:
    for record in layer.files:
        entry = entries[record.path]
        if entry is None:
            yield Message("file-missing", path=printable(record.path))
        elif entry.size != record.size:
            yield Message("file-size-differs", path=printable(record.path))
    tree.prepare(lambda _: None)
    with tree.reader() as reader:
        differing = ""
        for record, position in _spread(layer):
            entry = entries[record.path]
            if entry is None or entry.size != record.size or record.path == differing:
                continue
            if not _is_alike(reader, entry, record, position=position):
                differing = record.path
                yield Message("file-content-differs", path=printable(record.path))


def _find(tree: Tree, record: FileRecord) -> TreeEntry | None:
    try:
        return tree.entry(record.path)
    except (UnusableVersion, VersionChanged):
        return None


def _spread(layer: Layer) -> Iterator[tuple[FileRecord, int]]:
    """Yield files with positions in them, evenly distributed over the layer's image."""
    ends = list(accumulate(record.size for record in layer.files))
    size = ends[-1] if ends else 0
    for offset in sorted({size * number // _CHUNKS_COMPARED for number in range(_CHUNKS_COMPARED)}) if size else ():
        record = layer.files[number := bisect_right(ends, offset)]
        yield record, offset - (ends[number] - record.size)


def _is_alike(reader: Reader, entry: TreeEntry, record: FileRecord, *, position: int) -> bool:
    """Return whether the chunk at a position is unchanged.

    The first chunk is checked instead if the file can only be decompressed from its beginning.
    """
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
