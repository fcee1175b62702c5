"""The cache of files leaves room on its disk, which the database may share."""

import errno
import os
from pathlib import Path

import pytest

from playdock.storage.file_cache import CacheFull

from .test_file_cache import SMALL, cache, fetch, files, never


def test_a_file_that_would_fill_the_disk_is_not_begun(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, max_wait=0)
    disk = os.statvfs(tmp_path)
    size = disk.f_bavail * disk.f_frsize

    with pytest.raises(CacheFull, match="free space") as caught:
        unpacked.open(b"bomb", size=size, unpack=never)

    assert (caught.value.errno, files(tmp_path)) == (errno.ENOSPC, [])
    assert fetch(unpacked, b"a") == b"a" * SMALL


def test_files_that_are_being_written_count_for_the_disk(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, max_bytes=10**18, max_wait=0)
    disk = os.statvfs(tmp_path)
    most = disk.f_bavail * disk.f_frsize * 2 // 3

    def unpack(_descriptor: int) -> None:
        with pytest.raises(CacheFull):
            unpacked.open(b"second", size=most, unpack=never)
        raise ValueError("the first one ends")

    with pytest.raises(ValueError, match="the first one ends"):
        unpacked.open(b"first", size=most, unpack=unpack)
