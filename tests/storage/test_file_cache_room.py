"""The cache of files leaves room on its disk, which the database may share."""

import errno
import os
from pathlib import Path

import pytest

from playdock.storage import file_cache
from playdock.storage.file_cache import CacheFull, FileCache

from .test_file_cache import SMALL, cache, fetch, files, has, never


def test_a_file_that_would_fill_the_disk_is_not_begun(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, max_wait=0)
    disk = os.statvfs(tmp_path)
    size = disk.f_bavail * disk.f_frsize

    with pytest.raises(CacheFull, match="free space") as caught:
        unpacked.open(b"bomb", size=size, unpack=never)

    assert (caught.value.errno, files(tmp_path)) == (errno.ENOSPC, [])
    assert fetch(unpacked, b"a") == b"a" * SMALL


def test_files_that_are_being_written_count_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The machine of the tests may have little space.
    monkeypatch.setattr(file_cache, "_RESERVED_BYTES", 0)
    unpacked = cache(tmp_path, max_bytes=10**18, max_wait=0)
    disk = os.statvfs(tmp_path)
    most = disk.f_bavail * disk.f_frsize * 2 // 3

    def unpack(_descriptor: int) -> None:
        with pytest.raises(CacheFull):
            unpacked.open(b"second", size=most, unpack=never)
        raise ValueError("the first one ends")

    with pytest.raises(ValueError, match="the first one ends"):
        unpacked.open(b"first", size=most, unpack=unpack)


def test_others_are_evicted_for_room_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked = cache(tmp_path, max_bytes=10**18, max_wait=0)
    for key in (b"a", b"b"):
        fetch(unpacked, key)
    large = 100 * 1024**2
    # There is room for the large one beside one other file.
    monkeypatch.setattr(FileCache, "_room", lambda self: large - len(list(self._files())) + 2)

    os.close(unpacked.open(b"large", size=large, unpack=lambda _descriptor: None))

    assert [has(unpacked, key) for key in (b"a", b"b")] == [False, True]


def test_small_files_are_cached_on_a_disk_that_is_nearly_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FileCache, "_room", lambda _self: 0)
    assert fetch(cache(tmp_path), b"a") == b"a" * SMALL
