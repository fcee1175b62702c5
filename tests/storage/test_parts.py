"""Reading the parts of a version gives the results of one pass, whatever was known before."""

import shutil
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from playdock.content.chunks import MAX_CHUNK
from playdock.content.errors import UnreadableRecord, VersionChanged
from playdock.content.records import Checkpoint, Layer, ScanState, gather
from playdock.storage import parts
from playdock.storage.entries import Files, TreeEntry
from playdock.storage.folder_tree import FolderSource
from playdock.storage.ingest import ingest
from playdock.storage.parts import (
    PartLimits,
    PartRange,
    Unread,
    VersionPart,
    decode_part,
    encode_part,
    is_divisible,
    parts_of,
    unread,
)
from playdock.storage.trees import open_tree

from .versions import at

LARGE = Random(5).randbytes(24_000_000)
# What is behind the last complete buffer is digested only at the end of the file.
SIZE_OF_TWO_AND_A_HALF_BUFFERS = 5_500_000
LIMITS = PartLimits(size=5_000_000, files=3, undivided=4_000_000)


def ignore(_: Checkpoint) -> None: ...


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the threads that read a part divide it."""
    monkeypatch.setattr(parts, "_MIN_RANGE_BYTES", 1_000_000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a", "b", "c", "d", "e/f"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(name.encode() * 1000)
    (tmp_path / "data.pak").write_bytes(LARGE)
    (tmp_path / "z").write_bytes(LARGE[:3_000_000])
    return tmp_path


def read(tree: Files, found: Iterable[VersionPart]) -> ScanState:
    """Read parts, the last one first, and return what is known then."""
    told: list[Checkpoint] = []
    for part in reversed(list(found)):
        parts.read_part(tree, decode_part(encode_part(part)), workers=2, checkpoint=told.append)
    return gather(told)


def planned(tree: Files, earlier: ScanState | None = None) -> list[VersionPart]:
    return list(parts_of(unread(tree.entries(), earlier or ScanState()), LIMITS))


def layer_of(tree: Files, known: ScanState, monkeypatch: pytest.MonkeyPatch) -> tuple[Layer, int]:
    """Return the layer, and how many bytes of large files were read for it."""
    counts: list[int] = []
    readinto = FolderSource.readinto

    def counted(self: FolderSource, buffer: memoryview) -> int:
        counts.append(readinto(self, buffer))
        return counts[-1]

    with monkeypatch.context() as patched:
        patched.setattr(FolderSource, "readinto", counted)
        layer = ingest(tree, earlier=known, workers=2, checkpoint=ignore)
    return layer, sum(counts)


def test_all_parts_together_give_the_layer_of_one_pass_and_nothing_is_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = open_tree(at(folder))
    found = planned(tree)

    layer, count = layer_of(tree, read(tree, found), monkeypatch)

    assert layer == ingest(tree, workers=1, checkpoint=ignore)
    assert count == 0
    assert [(len(part.entries), len(part.ranges)) for part in found] == [(3, 0), (1, 2), (0, 2), (2, 1)]


def test_a_part_that_is_missing_is_read_by_the_import(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = open_tree(at(folder))
    first, missing, *others = planned(tree)

    layer, count = layer_of(tree, read(tree, [first, *others]), monkeypatch)

    assert layer == ingest(tree, workers=1, checkpoint=ignore)
    assert missing.ranges
    assert 0 < count < missing.size + 8 * MAX_CHUNK


def test_what_is_known_is_in_no_part(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = open_tree(at(folder))
    found = planned(tree)
    some = read(tree, [found[0], found[2]])

    rest = planned(tree, some)
    known = read(tree, rest)
    both = ScanState(some.files + known.files, ranges=some.ranges + known.ranges)

    layer, count = layer_of(tree, both, monkeypatch)
    assert layer == ingest(tree, workers=1, checkpoint=ignore)
    assert count == 0
    assert sum(part.size for part in rest) < sum(part.size for part in found)


def test_parts_continue_a_file_that_was_begun(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = open_tree(at(folder))
    told: list[Checkpoint] = []

    class Stopped(Exception): ...

    def stop(checkpoint: Checkpoint) -> None:
        told.append(checkpoint)
        if checkpoint.partials:
            raise Stopped

    monkeypatch.setattr("playdock.storage.ingest._SECONDS_BETWEEN_CHECKPOINTS", 0.001)
    with pytest.raises(Stopped):
        ingest(tree, workers=1, checkpoint=stop)
    earlier = gather(told)
    begun = earlier.partials
    rest = planned(tree, earlier)
    known = read(tree, rest)

    both = ScanState(earlier.files + known.files, begun, known.ranges)
    layer, count = layer_of(tree, both, monkeypatch)
    assert begun
    assert min(each.first for part in rest for each in part.ranges) == begun[0].offset
    assert layer == ingest(tree, workers=1, checkpoint=ignore)
    assert count == 0


@pytest.mark.parametrize("content", [b"\0" * 12_000_000, (b"abc" * 50_000)[:140_001] * 90], ids=["zeros", "repeated"])
def test_files_without_common_boundaries_are_read_again_and_have_the_same_chunks(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100_000 + content)
    tree = open_tree(at(tmp_path))

    layer = ingest(tree, earlier=read(tree, planned(tree)), workers=1, checkpoint=ignore)

    assert layer == ingest(tree, workers=1, checkpoint=ignore)


def test_ranges_of_a_file_that_has_changed_are_not_used(folder: Path) -> None:
    tree = open_tree(at(folder))
    known = read(tree, planned(tree))
    stale = ScanState(ranges=tuple(replace(each, mtime_ns=each.mtime_ns + 1) for each in known.ranges))

    assert [file.gaps for file in unread(tree.entries(), stale) if file.entry.path == "data.pak"] == [
        ((0, len(LARGE)),)
    ]


def shorten(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.truncate(1_000_000)


def rewrite(file: Path) -> None:
    """Write other bytes with another time, as an outdated copy on another node has them."""
    file.write_bytes(LARGE[::-1])


@pytest.mark.parametrize("change", [shorten, rewrite])
def test_a_range_of_a_file_that_is_not_the_listed_one_is_not_read(folder: Path, change: Callable[[Path], None]) -> None:
    tree = open_tree(at(folder))
    part = planned(tree)[1]
    assert part.ranges[0].first == 0
    change(folder / "data.pak")

    with pytest.raises(VersionChanged):
        parts.read_part(tree, part, workers=2, checkpoint=ignore)


def test_the_end_of_a_file_behind_a_known_range_is_read(tmp_path: Path) -> None:
    """Where the range is found only when the rest of the file is in the buffer."""
    (tmp_path / "file").write_bytes(LARGE[:SIZE_OF_TWO_AND_A_HALF_BUFFERS])
    tree = open_tree(at(tmp_path))
    (entry,) = tree.entries()
    expected = ingest(tree, workers=1, checkpoint=ignore)
    for first in range(3_900_000, SIZE_OF_TWO_AND_A_HALF_BUFFERS - 200_000, 40_000):
        middle = VersionPart(ranges=(PartRange(entry, first, first + 100_000),))

        assert ingest(tree, earlier=read(tree, [middle]), workers=1, checkpoint=ignore) == expected


def test_archives_are_not_divided(folder: Path, tmp_path: Path) -> None:
    shutil.make_archive(str(tmp_path / "game"), "zip", folder)

    assert is_divisible(open_tree(at(folder)))
    assert not is_divisible(open_tree(at(tmp_path / "game.zip")))


def test_parts_of_another_format_are_refused() -> None:
    with pytest.raises(UnreadableRecord):
        decode_part(b"other")
    with pytest.raises(UnreadableRecord):
        decode_part(encode_part(VersionPart())[:-1])


@pytest.mark.parametrize("size", [5_000_001, 10_000_000, 12_345_678])
def test_the_ranges_of_a_file_follow_each_other(size: int) -> None:
    entry = TreeEntry("file", size, 0o644, 1)
    found = list(parts_of([Unread(entry, ((0, size),))], LIMITS))

    ranges = [each for part in found for each in part.ranges]
    assert (ranges[0].first, ranges[-1].last) == (0, size)
    assert all(one.last == other.first for one, other in pairwise(ranges))
    assert max(each.size for each in ranges) <= LIMITS.size
    assert max(part.size for part in found) < 2 * LIMITS.size


def test_reading_a_part_stops_when_its_checkpoint_raises(folder: Path) -> None:
    tree = open_tree(at(folder))

    def refuse(_: Checkpoint) -> None:
        raise KeyError

    for part in planned(tree):
        with pytest.raises(KeyError):
            parts.read_part(tree, part, workers=2, checkpoint=refuse)


def test_an_error_of_one_thread_ends_the_others(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = open_tree(at(folder))
    entry = next(entry for entry in tree.entries() if entry.path == "data.pak")
    part = VersionPart(ranges=(PartRange(entry, 0, len(LARGE)),))
    read: Callable[[Any], Any] = parts._RangeReading.read

    def fail(self: Any) -> Any:
        if self.wanted.first:
            raise OSError(5, "failed")
        return read(self)

    monkeypatch.setattr(parts._RangeReading, "read", fail)
    with pytest.raises(OSError, match="failed"):
        parts.read_part(tree, part, workers=2, checkpoint=ignore)
