"""Ingesting trees: folders and archives have equal results, also after interruptions, and files are read once."""

import shutil
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Self
from zlib import crc32

import pytest
from blake3 import blake3
from msgspec.structs import replace

from open_files import open_below
from playdock.content.chunks import PACKED_SIZE, unpack
from playdock.content.earlier import EarlierResults
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.records import Checkpoint, FileRecord, Layer, LinkRecord, ScanState, encode_checkpoint, gather
from playdock.storage.entries import Check, ListedFile, TreeEntry
from playdock.storage.ingest import ingest
from playdock.storage.trees import open_tree

from .versions import FILES, at

LARGE = Random(3).randbytes(40_000_000)


@dataclass
class Memory:
    """A tree in memory that records what was read, and waits before each read."""

    files: dict[str, bytes]
    wait: Callable[[], None] = lambda: None
    packed: bool = False
    opened: list[tuple[str, int]] = field(default_factory=list)

    def entries(self) -> list[TreeEntry]:
        return [TreeEntry(path, len(data), 0o644, 7) for path, data in sorted(self.files.items())]

    def names(self) -> Iterator[ListedFile]:
        return iter(())

    def has(self, path: str) -> bool:
        return path in self.files

    def prepare(self, check: Check, *, again: bool = False) -> int:
        return 0

    def head(self, path: str, *, length: int) -> bytes:
        return self.files[path][:length]

    def entry(self, path: str) -> TreeEntry:
        return TreeEntry(path, len(self.files[path]), 0o644, 7)

    def reader(self) -> "MemoryReader":
        return MemoryReader(self)


class Closing:
    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


@dataclass
class MemoryReader(Closing):
    tree: Memory

    def open(self, entry: TreeEntry, *, offset: int = 0) -> "MemorySource":
        self.tree.opened.append((entry.path, offset))
        start = 0 if self.tree.packed else offset
        return MemorySource(self.tree, memoryview(self.tree.files[entry.path])[start:], start)

    def read(self, entry: TreeEntry) -> bytes:
        self.tree.opened.append((entry.path, 0))
        self.tree.wait()
        return self.tree.files[entry.path]


@dataclass
class MemorySource(Closing):
    tree: Memory
    left: memoryview
    start: int

    def readinto(self, buffer: memoryview) -> int:
        self.tree.wait()
        count = min(len(buffer), len(self.left))
        buffer[:count], self.left = self.left[:count], self.left[count:]
        return count


class Cut(Exception):
    """Raised by a checkpoint to interrupt."""


def ignore(_: Checkpoint) -> None: ...


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("ingest")]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_a_layer_contains_all_files_of_a_folder(version: Path, workers: int) -> None:
    layer = ingest(open_tree(at(version)), workers=workers, checkpoint=ignore)

    assert layer.links == (LinkRecord("data/link", "../game.exe"),)
    assert [file.path for file in layer.files] == sorted(FILES, key=str.encode)
    for file in layer.files:
        data, chunks = FILES[file.path], list(unpack(file.chunks))
        assert (file.size, file.crc32) == (len(data), crc32(data))
        assert sum(chunk.length for chunk in chunks) == len(data)
        assert file.hash == blake3(data if len(chunks) == 1 else b"".join(chunk.id for chunk in chunks)).digest()
        assert file.mode == (0o755 if file.path == "game.exe" else 0o644)


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=str
)
def test_an_archive_has_the_same_hashes_as_the_folder(version: Path, tmp_path: Path, method: int) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        for path in FILES:
            archive.write(version / path, path)

    unpacked = ingest(open_tree(at(version)), workers=2, checkpoint=ignore)
    packed = ingest(open_tree(at(tmp_path / "a.zip")), workers=2, checkpoint=ignore)

    assert [replace(file, mtime_ns=0) for file in packed.files] == [
        replace(file, mtime_ns=0) for file in unpacked.files
    ]


def test_an_archive_whose_checksum_is_wrong_is_damaged(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("file", b"content")
    data = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "a.zip").write_bytes(data.replace(b"content", b"c0ntent"))

    with pytest.raises(UnusableVersion, match="“file” is damaged"):
        ingest(open_tree(at(tmp_path / "a.zip")), workers=2, checkpoint=ignore)


def test_an_empty_version_is_an_empty_layer(tmp_path: Path) -> None:
    told: list[Checkpoint] = []

    assert ingest(open_tree(at(tmp_path)), workers=2, checkpoint=told.append) == Layer()
    assert (told[-1].done, told[-1].total) == (0, 0)


def test_checkpoints_report_each_result_once_and_end_complete(version: Path) -> None:
    told: list[Checkpoint] = []
    layer = ingest(open_tree(at(version)), workers=2, checkpoint=told.append)

    assert sorted(file.path for checkpoint in told for file in checkpoint.files) == sorted(FILES)
    assert set(gather(told).files) == set(layer.files)
    assert told[-1].done == told[-1].total == sum(map(len, FILES.values()))


def test_known_files_are_not_read_again() -> None:
    first = ingest(Memory(FILES), workers=2, checkpoint=ignore)
    again, told = Memory(FILES), list[Checkpoint]()

    assert ingest(again, earlier=ScanState(tuple(first.files)), workers=2, checkpoint=told.append) == first
    assert again.opened == []
    assert [(checkpoint.files, checkpoint.done) for checkpoint in told] == [((), told[0].total)]


def test_a_known_file_gets_its_current_mode() -> None:
    known = [replace(file, mode=0o755) for file in ingest(Memory(FILES), workers=1, checkpoint=ignore).files]

    again = ingest(Memory(FILES), earlier=ScanState(tuple(known)), workers=1, checkpoint=ignore)

    assert {file.mode for file in again.files} == {0o644}


@pytest.mark.parametrize("change", [{"size": 1}, {"mtime_ns": 1}, {"path": "other"}])
def test_a_changed_file_is_read_again(change: dict[str, int | str]) -> None:
    tree = Memory({"a": b"content"})
    record: FileRecord = replace(ingest(tree, workers=1, checkpoint=ignore).files[0], **change)
    tree.opened.clear()

    again = ingest(tree, earlier=ScanState((record,)), workers=1, checkpoint=ignore)

    assert [file.path for file in again.files] == ["a"]
    assert tree.opened == [("a", 0)]


def interrupted(files: dict[str, bytes]) -> list[Checkpoint]:
    """Interrupt when a checkpoint contains part of a large file, and return the checkpoints."""
    told: list[Checkpoint] = []

    def checkpoint(news: Checkpoint) -> None:
        told.append(news)
        if news.partials:
            raise Cut

    with pytest.raises(Cut):
        ingest(Memory(files, wait=lambda: time.sleep(0.03)), workers=2, checkpoint=checkpoint)
    return told


@pytest.mark.parametrize("packed", [False, True])
def test_an_interrupted_file_is_resumed(packed: bool) -> None:  # noqa: FBT001 - both kinds of sources
    files = FILES | {"large": LARGE}
    found = gather(interrupted(files))
    rest = Memory(files, packed=packed)

    layer = ingest(rest, earlier=found, workers=2, checkpoint=ignore)

    assert dict(rest.opened)["large"] == found.partials[0].offset > 0
    assert not {file.path for file in found.files} & dict(rest.opened).keys()
    assert layer == ingest(Memory(files), workers=1, checkpoint=ignore)


@pytest.mark.parametrize("limits", [{"_MAX_SECTION_FILES": 2}, {"_MAX_SECTION_BYTES": 100_000}])
def test_a_large_tree_is_read_in_sections(monkeypatch: pytest.MonkeyPatch, limits: dict[str, int]) -> None:
    whole, told = ingest(Memory(FILES), workers=2, checkpoint=ignore), list[Checkpoint]()
    for name, value in limits.items():
        monkeypatch.setattr(f"playdock.storage.ingest.{name}", value)

    layer = ingest(Memory(FILES), workers=2, checkpoint=told.append)

    assert layer == whole
    done = [checkpoint.done for checkpoint in told]
    assert done == sorted(done)
    assert told[-1].done == told[-1].total == whole.size
    paths = [[file.path for file in checkpoint.files] for checkpoint in told if checkpoint.files]
    assert len(paths) > 1
    assert all(max(one) < min(other) for one, other in pairwise(paths))


def test_a_section_that_was_read_before_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playdock.storage.ingest._MAX_SECTION_FILES", 2)
    stored = list[bytes]()

    def cut(news: Checkpoint) -> None:
        stored.append(encode_checkpoint(news))
        if len(stored) > 1:
            raise Cut

    with pytest.raises(Cut):
        ingest(Memory(FILES), workers=1, checkpoint=cut)
    again = Memory(FILES)
    earlier = EarlierResults(range(len(stored)), stored.__getitem__)
    layer = ingest(again, earlier=earlier, workers=1, checkpoint=ignore)

    assert layer == ingest(Memory(FILES), workers=1, checkpoint=ignore)
    assert len(again.opened) == len(FILES) - earlier.files < len(FILES)


def test_skipping_to_the_resumed_offset_can_be_stopped() -> None:
    [partial] = gather(interrupted({"large": LARGE})).partials
    chunk = partial.chunks[:PACKED_SIZE]
    near_the_end = replace(partial, offset=len(LARGE) - 1, chunks=chunk)
    tree, at = Memory({"large": LARGE}, wait=lambda: time.sleep(0.1), packed=True), list[float]()

    def fail(_: Checkpoint) -> None:
        at.append(time.monotonic())
        raise Cut

    with pytest.raises(Cut):
        ingest(tree, earlier=ScanState(partials=(near_the_end,)), workers=1, checkpoint=fail)

    assert time.monotonic() - at[0] < 2


def test_a_resumed_file_counts_as_partly_done() -> None:
    found, told = gather(interrupted({"large": LARGE})), list[Checkpoint]()
    slow = Memory({"large": LARGE}, wait=lambda: time.sleep(0.03))

    ingest(slow, earlier=ScanState(partials=found.partials), workers=1, checkpoint=told.append)

    done = [checkpoint.done for checkpoint in told]
    assert found.partials[0].offset <= done[0] <= done[-1] == len(LARGE)
    assert done == sorted(done)
    assert gather([Checkpoint((), found.partials, 0, 0), *told[:-1]]).partials[0].start == 0


@pytest.mark.parametrize("change", [{"mtime_ns": 1}, {"size": 1}, {"start": 1}])
def test_a_changed_file_or_one_without_its_first_part_is_restarted(change: dict[str, int]) -> None:
    found, tree = gather(interrupted({"large": LARGE})), Memory({"large": LARGE})
    stale = [replace(partial, **change) for partial in found.partials]

    ingest(tree, earlier=ScanState(partials=tuple(stale)), workers=1, checkpoint=ignore)

    assert tree.opened == [("large", 0)]


def test_reading_ends_soon_after_a_checkpoint_fails() -> None:
    tree = Memory({str(number): bytes(1000) for number in range(2000)}, wait=lambda: time.sleep(0.01))
    at: list[float] = []

    def fail(_: Checkpoint) -> None:
        at.append(time.monotonic())
        raise Cut

    with pytest.raises(Cut):
        ingest(tree, workers=4, checkpoint=fail)

    assert time.monotonic() - at[0] < 2
    assert len(tree.opened) < 1000
    assert threads() == []


def test_a_failing_file_ends_all_threads() -> None:
    failed = threading.Event()

    def wait() -> None:
        if not failed.is_set():
            failed.set()
            raise OSError(5, "Input/output error")
        time.sleep(0.01)

    tree = Memory({str(number): bytes(1000) for number in range(2000)}, wait=wait)

    with pytest.raises(OSError, match="Input/output error"):
        ingest(tree, workers=4, checkpoint=ignore)
    assert len(tree.opened) < 1000
    assert threads() == []


def test_no_thread_is_left_after_success(version: Path) -> None:
    ingest(open_tree(at(version)), workers=8, checkpoint=ignore)

    assert threads() == []
    assert open_below(version) == []


def test_checkpoints_are_called_in_the_callers_thread() -> None:
    told: list[str] = []
    tree = Memory({str(number): bytes(1000) for number in range(150)}, wait=lambda: time.sleep(0.01))

    ingest(tree, workers=1, checkpoint=lambda _: told.append(threading.current_thread().name))

    assert set(told) == {threading.current_thread().name}
    assert 2 <= len(told) <= 20


def test_a_version_that_changes_is_reported(version: Path) -> None:
    class Late(type(open_tree(at(version)))):  # type: ignore[misc] # the real tree, whose files change after the listing
        def entries(self) -> list[TreeEntry]:
            found: list[TreeEntry] = super().entries()
            shutil.copyfile(version / "read me.txt", version / "game.exe")
            return found

    with pytest.raises(VersionChanged, match=r"“game\.exe” changed"):
        ingest(Late(at(version)), workers=2, checkpoint=ignore)
