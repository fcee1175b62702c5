"""Readers of the cache of unpacked files: what they have open is never thrown away, and counts."""

import errno
import fcntl
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from playdock.kit.faults import passing_fault
from playdock.storage.unpacked import CacheUnusable, Unpacked

from .test_unpacked import (
    PATIENCE,
    SMALL,
    aged,
    cache,
    fetch,
    files,
    filled_with,
    kept,
    kill_when_it_says,
    never,
    process,
    reading,
)


def refuse(unpacked: Unpacked, key: bytes, *, size: int = SMALL) -> None:
    """See that there is no room for a file, and that this is told as something that may pass."""
    with pytest.raises(CacheUnusable, match="in use") as caught:
        fetch(unpacked, key, size=size, unpack=never)
    assert caught.value.errno == errno.ENOSPC
    assert passing_fault(caught.value)


def test_files_that_are_read_are_never_more_than_the_budget(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, most_bytes=3 * SMALL, patience=0)
    with ExitStack() as readers:
        for key in (b"a", b"b", b"c"):
            readers.enter_context(reading(unpacked, key))
        for key in (b"d", b"e"):
            refuse(unpacked, key)
        # Nor is anything left behind of what had no room.
        assert len(files(tmp_path)) == 3
    assert fetch(unpacked, b"d") == b"d" * SMALL


def test_files_that_were_there_already_are_not_thrown_away_either_while_they_are_read(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, most_bytes=SMALL, patience=0)
    fetch(unpacked, b"a")

    with reading(unpacked, b"a", unpack=never):
        refuse(unpacked, b"b")
    assert fetch(unpacked, b"b") == b"b" * SMALL


def test_only_what_nobody_reads_makes_room(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, most_bytes=2 * SMALL, patience=0)
    aged(unpacked, tmp_path, b"a")
    fetch(unpacked, b"b")

    with reading(unpacked, b"a"):
        fetch(unpacked, b"c")
        assert kept(unpacked, [b"a", b"b", b"c"]) == [b"a", b"c"]


def test_readers_are_waited_for(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, most_bytes=SMALL)
    with ThreadPoolExecutor(1) as threads:
        with reading(unpacked, b"a"):
            waiting = threads.submit(fetch, unpacked, b"b")
            while len(files(tmp_path)) < 2:
                assert not waiting.done()
        assert waiting.result(PATIENCE) == b"b" * SMALL


def test_many_read_one_file_at_the_same_time(tmp_path: Path) -> None:
    unpacked = cache(tmp_path)
    with ThreadPoolExecutor(1) as threads, reading(unpacked, b"a"):
        assert threads.submit(fetch, unpacked, b"a", unpack=never).result(PATIENCE) == b"a" * SMALL


def test_readers_of_other_processes_count_until_they_end(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, most_bytes=SMALL, patience=0)
    reader = process(tmp_path, afterwards="print('reading', flush=True); time.sleep(60)")
    kill_when_it_says(reader, "reading", before=lambda: refuse(unpacked, b"b"))

    assert fetch(unpacked, b"b") == b"b" * SMALL


def test_a_file_that_is_thrown_away_while_it_is_found_is_made_anew(tmp_path: Path) -> None:
    unpacked = cache(tmp_path)
    fetch(unpacked, b"a")
    with ThreadPoolExecutor(1) as threads:
        with unpacked._path(b"a").open("r+b") as thrown_away:
            fcntl.flock(thrown_away, fcntl.LOCK_EX)
            finding = threads.submit(unpacked.open, b"a", size=SMALL, unpack=filled_with(b"a" * SMALL))
            # Most likely long enough to have opened the file; were it not, the test would still pass.
            threading.Event().wait(0.2)
            unpacked._path(b"a").unlink()
        descriptor = finding.result(PATIENCE)
    assert os.path.samestat(os.fstat(descriptor), unpacked._path(b"a").stat())
    os.close(descriptor)


def test_a_file_larger_than_the_budget_is_not_beside_one_that_is_read(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, most_bytes=4 * SMALL, patience=0)
    with reading(unpacked, b"a"):
        refuse(unpacked, b"b", size=9 * SMALL)
    with reading(unpacked, b"b", size=9 * SMALL):
        refuse(unpacked, b"a")


def test_readers_go_on_when_somebody_empties_the_folder(tmp_path: Path) -> None:
    with reading(cache(tmp_path), b"a") as descriptor:
        for path in files(tmp_path):
            path.unlink()
        assert os.pread(descriptor, SMALL + 1, 0) == b"a" * SMALL
