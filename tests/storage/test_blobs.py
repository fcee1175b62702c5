"""Blobs in a folder: atomic writes, keys and deletion. See also `test_blob_contract.py`."""

import os
from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from audit import told_of
from playdock.storage.blobs import LocalBlobs
from playdock.storage.sweeping import sweep

KEY = "objects/0123456789abcdef"
OTHER = "objects/fedcba9876543210"


@pytest.fixture
def blobs(tmp_path: Path) -> LocalBlobs:
    return LocalBlobs(tmp_path / "objects")


def files(blobs: LocalBlobs) -> list[Path]:
    return [path for path in blobs.root.rglob("*") if path.is_file()]


def test_a_blob_is_replaced_completely(blobs: LocalBlobs) -> None:
    blobs.put(KEY, [b"first and long"])
    reading = blobs.open(KEY, block=5)
    beginning = next(reading)
    blobs.put(KEY, [b"second"])

    assert b"".join(blobs.open(KEY)) == b"second"
    assert b"".join([beginning, *reading]) == b"first and long"


def test_a_blob_whose_writing_fails_does_not_appear(blobs: LocalBlobs) -> None:
    def failing() -> Iterator[bytes]:
        yield b"some"
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - the one that was raised above
        blobs.put(KEY, failing())

    assert files(blobs) == []


def test_a_descriptor_can_be_read_after_the_blob_is_deleted(blobs: LocalBlobs) -> None:
    blobs.put(KEY, [b"some bytes"])
    descriptor = blobs.descriptor(KEY)
    blobs.delete(KEY)
    with os.fdopen(descriptor, "rb") as file:
        assert file.read() == b"some bytes"


def test_keys_are_filtered_by_kind_and_time(blobs: LocalBlobs) -> None:
    for key in (KEY, OTHER, "manifests/0123456789abcdef"):
        blobs.put(key, [b"x"])
    long_ago = (datetime.now(UTC) - timedelta(days=2)).timestamp()
    (old,) = (path for path in files(blobs) if path.name == KEY.partition("/")[2] and "objects/01" in str(path))
    os.utime(old, (long_ago, long_ago))

    assert list(blobs.keys("objects", before=datetime.now(UTC) - timedelta(days=1))) == [KEY]
    assert sorted(blobs.keys("objects", before=datetime.now(UTC) + timedelta(days=1))) == [KEY, OTHER]
    assert list(blobs.keys("nothing", before=datetime.now(UTC))) == []


def test_a_blob_deleted_while_keys_are_listed_is_skipped(blobs: LocalBlobs) -> None:
    keys = [f"objects/01{number}3456789abcdef" for number in range(2, 6)]
    for key in keys:
        blobs.put(key, [b"x"])
    listing = blobs.keys("objects", before=datetime.now(UTC) + timedelta(days=1))
    first = next(listing)
    for key in keys:
        blobs.delete(key)

    assert first in keys
    assert list(listing) == []


def test_other_files_are_ignored(blobs: LocalBlobs) -> None:
    blobs.put(KEY, [b"x"])
    (blobs.root / "objects/01/.DS_Store").touch()
    (blobs.root / "objects/01/read me").touch()

    assert list(blobs.keys("objects", before=datetime.now(UTC) + timedelta(days=1))) == [KEY]


def test_old_temporary_files_of_killed_writes_are_deleted(blobs: LocalBlobs) -> None:
    blobs.put(KEY, [b"x"])
    left = blobs.root / "objects/01/.writing-abc"
    left.touch()

    blobs.delete_unfinished(before=datetime.now(UTC) - timedelta(days=1))
    assert left.exists()
    blobs.delete_unfinished(before=datetime.now(UTC) + timedelta(days=1))
    assert [path.name for path in files(blobs)] == [KEY.partition("/")[2]]


def test_a_blob_that_is_being_written_is_not_swept_whatever_the_clock_says(blobs: LocalBlobs) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"x"
        blobs.delete_unfinished(before=datetime.now(UTC) + timedelta(days=1))
        yield b"y"

    assert blobs.put(KEY, pieces()) == 2
    assert b"".join(blobs.open(KEY)) == b"xy"


def test_a_sweep_reads_the_references_after_listing(blobs: LocalBlobs) -> None:
    """A blob that becomes referenced after the listing is kept."""
    adopted: set[str] = set()

    class Adopting(LocalBlobs, frozen=True):
        def keys(self, kind: str, *, before: datetime) -> Iterator[str]:
            yield from super().keys(kind, before=before)
            adopted.add(KEY.partition("/")[2])

    for key in (KEY, OTHER):
        blobs.put(key, [b"x"])
    later = datetime.now(UTC) + timedelta(days=1)
    swept = sweep(Adopting(blobs.root), "objects", before=later, referenced=lambda _names: frozenset(adopted))

    assert (swept, list(blobs.keys("objects", before=later))) == (1, [KEY])


def test_a_sweep_asks_for_few_references_at_once(blobs: LocalBlobs) -> None:
    """A storage may have millions of blobs, whose names do not fit in memory."""
    asked: list[int] = []
    deleted: list[str] = []

    class Large(LocalBlobs, frozen=True):
        def keys(self, kind: str, *, before: datetime) -> Iterator[str]:
            yield from (f"{kind}/{number:016}" for number in range(2_000))

        def delete(self, key: str) -> None:
            deleted.append(key)

    def referenced(names: Collection[str]) -> set[str]:
        asked.append(len(names))
        return {name for name in names if int(name) % 2}

    assert sweep(Large(blobs.root), "objects", before=datetime.now(UTC), referenced=referenced) == 1_000
    assert (sum(asked), max(asked) <= 500, len(deleted)) == (2_000, True, 1_000)


def test_a_sweep_deletes_temporary_files_of_killed_writes(blobs: LocalBlobs) -> None:
    (blobs.root / "layers/01").mkdir(parents=True)
    (blobs.root / "layers/01/.writing-abc").touch()

    assert sweep(blobs, "objects", before=datetime.now(UTC) + timedelta(days=1), referenced=tuple) == 0
    assert files(blobs) == []


def test_every_folder_with_a_new_entry_is_synced(blobs: LocalBlobs) -> None:
    opened: set[str] = set()
    with told_of("open", lambda path: opened.add(str(path))):
        blobs.put(KEY, [b"x"])

    root = blobs.root
    assert {str(folder) for folder in (root.parent, root, root / "objects", root / "objects/01")} <= opened


def test_a_check_leaves_nothing_behind(blobs: LocalBlobs) -> None:
    blobs.check()

    assert files(blobs) == []


def test_a_check_fails_if_the_storage_is_not_writable(tmp_path: Path) -> None:
    (tmp_path / "objects").write_bytes(b"a file where the folder should be")

    with pytest.raises(OSError):  # noqa: PT011 - whichever the system gives
        LocalBlobs(tmp_path / "objects").check()
