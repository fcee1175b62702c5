"""Readers of the cache of unpacked files: open files are never evicted and count towards the limit."""

import errno
import fcntl
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from playdock.kit.storage_failures import retryable_storage_failure
from playdock.storage.file_cache import CacheUnusable, FileCache

from .test_file_cache import (
    PATIENCE,
    SMALL,
    aged,
    cache,
    fetch,
    files,
    filled_with,
    kept,
    kill_at_output,
    never,
    process,
    reading,
)


def refuse(unpacked: FileCache, key: bytes, *, size: int = SMALL) -> None:
    """Assert that there is no space for a file, and that the error is a temporary one."""
    with pytest.raises(CacheUnusable, match="in use") as caught:
        fetch(unpacked, key, size=size, unpack=never)
    assert caught.value.errno == errno.ENOSPC
    assert retryable_storage_failure(caught.value)


def test_open_files_never_exceed_the_limit(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, max_bytes=3 * SMALL, max_wait=0)
    with ExitStack() as readers:
        for key in (b"a", b"b", b"c"):
            readers.enter_context(reading(unpacked, key))
        for key in (b"d", b"e"):
            refuse(unpacked, key)
        # Files without space leave nothing behind either.
        assert len(files(tmp_path)) == 3
    assert fetch(unpacked, b"d") == b"d" * SMALL


def test_existing_files_are_not_evicted_while_they_are_open(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, max_bytes=SMALL, max_wait=0)
    fetch(unpacked, b"a")

    with reading(unpacked, b"a", unpack=never):
        refuse(unpacked, b"b")
    assert fetch(unpacked, b"b") == b"b" * SMALL


def test_only_files_that_are_not_open_are_evicted(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, max_bytes=2 * SMALL, max_wait=0)
    aged(unpacked, tmp_path, b"a")
    fetch(unpacked, b"b")

    with reading(unpacked, b"a"):
        fetch(unpacked, b"c")
        assert kept(unpacked, [b"a", b"b", b"c"]) == [b"a", b"c"]


def test_a_writer_waits_for_readers(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, max_bytes=SMALL)
    with ThreadPoolExecutor(1) as threads:
        with reading(unpacked, b"a"):
            waiting = threads.submit(fetch, unpacked, b"b")
            while len(files(tmp_path)) < 2:
                assert not waiting.done()
        assert waiting.result(PATIENCE) == b"b" * SMALL


def test_many_readers_share_one_file(tmp_path: Path) -> None:
    unpacked = cache(tmp_path)
    with ThreadPoolExecutor(1) as threads, reading(unpacked, b"a"):
        assert threads.submit(fetch, unpacked, b"a", unpack=never).result(PATIENCE) == b"a" * SMALL


def test_readers_of_other_processes_prevent_eviction(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, max_bytes=SMALL, max_wait=0)
    reader = process(tmp_path, afterwards="print('reading', flush=True); time.sleep(60)")
    kill_at_output(reader, "reading", before=lambda: refuse(unpacked, b"b"))

    assert fetch(unpacked, b"b") == b"b" * SMALL


def test_a_file_evicted_while_it_is_being_opened_is_created_again(tmp_path: Path) -> None:
    unpacked = cache(tmp_path)
    fetch(unpacked, b"a")
    with ThreadPoolExecutor(1) as threads:
        with unpacked._path(b"a").open("r+b") as thrown_away:
            fcntl.flock(thrown_away, fcntl.LOCK_EX)
            finding = threads.submit(unpacked.open, b"a", size=SMALL, unpack=filled_with(b"a" * SMALL))
            # Probably long enough to have opened the file. If not, the test still passes.
            threading.Event().wait(0.2)
            unpacked._path(b"a").unlink()
        descriptor = finding.result(PATIENCE)
    assert os.path.samestat(os.fstat(descriptor), unpacked._path(b"a").stat())
    os.close(descriptor)


def test_a_file_larger_than_the_limit_waits_for_open_files(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, max_bytes=4 * SMALL, max_wait=0)
    with reading(unpacked, b"a"):
        refuse(unpacked, b"b", size=9 * SMALL)
    with reading(unpacked, b"b", size=9 * SMALL):
        refuse(unpacked, b"a")


def test_readers_continue_when_the_folder_is_emptied(tmp_path: Path) -> None:
    with reading(cache(tmp_path), b"a") as descriptor:
        for path in files(tmp_path):
            path.unlink()
        assert os.pread(descriptor, SMALL + 1, 0) == b"a" * SMALL
