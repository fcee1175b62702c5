"""The cache of files: filled once, within its limit, with complete files, despite concurrency and crashes."""

import errno
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playdock.storage.file_cache import CacheUnusable, FileCache, boot_id

from .versions import without_permissions

KIB = 1024
SMALL = 64 * KIB
PATIENCE = 120.0


def has(unpacked: FileCache, key: bytes) -> bool:
    """Return whether a file is in the cache."""
    return unpacked._path(key).exists()


def cache(folder: Path, *, max_bytes: int = 10 * SMALL, boot: str = "boot", max_wait: float = PATIENCE) -> FileCache:
    return FileCache(folder / "cache" / "unpacked", max_bytes=max_bytes, boot=boot, max_wait=max_wait)


def filled_with(data: bytes) -> Callable[[int], None]:
    def unpack(descriptor: int) -> None:
        os.write(descriptor, data)

    return unpack


def never(_descriptor: int) -> None:
    raise AssertionError("It should be there.")


def fetch(unpacked: FileCache, key: bytes, *, size: int = SMALL, unpack: Callable[[int], None] | None = None) -> bytes:
    """Return the content for a key; by default it is the key's first letter, repeated."""
    with reading(unpacked, key, size=size, unpack=unpack) as descriptor:
        return os.pread(descriptor, size + 1, 0)


@contextmanager
def reading(
    unpacked: FileCache, key: bytes, *, size: int = SMALL, unpack: Callable[[int], None] | None = None
) -> Iterator[int]:
    """Keep a file open."""
    descriptor = unpacked.open(key, size=size, unpack=unpack or filled_with(key[:1] * size))
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def files(folder: Path) -> list[Path]:
    return [path for path in (folder / "cache" / "unpacked").iterdir() if path.name != "total"]


def kept(unpacked: FileCache, keys: Iterable[bytes]) -> list[bytes]:
    return [key for key in keys if has(unpacked, key)]


def aged(unpacked: FileCache, folder: Path, key: bytes) -> None:
    """Add a file and make it older than all others."""
    before = set(files(folder)) if (folder / "cache").exists() else set()
    fetch(unpacked, key)
    [made] = set(files(folder)) - before
    os.utime(made, ns=(1, 1))


# --- Filling ---


def test_a_file_is_unpacked_once(tmp_path: Path) -> None:
    unpacked = cache(tmp_path)
    assert not has(unpacked, b"a")

    assert fetch(unpacked, b"a") == fetch(unpacked, b"a", unpack=never) == b"a" * SMALL
    assert has(unpacked, b"a")


def test_many_threads_unpack_once(tmp_path: Path) -> None:
    unpacked, start = cache(tmp_path, max_bytes=1000 * SMALL), threading.Barrier(4)
    calls: list[bytes] = []

    def ask(key: bytes) -> bytes:
        def unpack(descriptor: int) -> None:
            calls.append(key)
            os.write(descriptor, b"data")

        start.wait(PATIENCE)
        return fetch(unpacked, key, size=4, unpack=unpack)

    with ThreadPoolExecutor(4) as threads:
        keys = [b"%d" % (number // 4) for number in range(400)]
        assert set(threads.map(ask, keys)) == {b"data"}
    assert sorted(calls) == sorted(set(keys))


PROGRAM = """
    import os, sys, time
    from pathlib import Path
    from playdock.storage.file_cache import FileCache

    def unpack(descriptor):
        print("unpacking", flush=True)
        {while_filling}
        os.write(descriptor, b"x" * {size})

    unpacked = FileCache(Path(sys.argv[1]) / "cache" / "unpacked", max_bytes=10 * {size}, boot="boot")
    sys.stdin.read()
    descriptor = unpacked.open(b"a", size={size}, unpack=unpack)
    assert os.pread(descriptor, {size} + 1, 0) == b"x" * {size}
    {afterwards}
"""


def process(folder: Path, *, while_filling: str = "pass", afterwards: str = "pass") -> subprocess.Popen[str]:
    """Start a process that opens a file as soon as its input ends."""
    program = textwrap.dedent(PROGRAM).format(while_filling=while_filling, afterwards=afterwards, size=SMALL)
    command = [sys.executable, "-c", program, str(folder)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_many_processes_unpack_once(tmp_path: Path) -> None:
    requesters = [process(tmp_path, while_filling="time.sleep(0.2)") for _ in range(4)]
    for requester in requesters:
        assert requester.stdin
        requester.stdin.close()
        requester.stdin = None
    said = [requester.communicate(timeout=PATIENCE)[0] for requester in requesters]

    assert [requester.returncode for requester in requesters] == [0] * 4
    assert "".join(said) == "unpacking\n"


def kill_at_output(requester: subprocess.Popen[str], said: str, *, before: Callable[[], None] = lambda: None) -> None:
    """Start a process, wait until it prints a message, call ``before``, and kill it."""
    assert requester.stdin
    assert requester.stdout
    requester.stdin.close()
    try:
        assert [requester.stdout.readline() for _ in range(2)] == ["unpacking\n", f"{said}\n"]
        before()
    finally:
        requester.send_signal(signal.SIGKILL)
        requester.wait(PATIENCE)
        requester.stdout.close()


def killed_while_unpacking(folder: Path) -> None:
    kill_at_output(
        process(folder, while_filling="os.write(descriptor, b'half'); print('half', flush=True); time.sleep(60)"),
        "half",
    )


def test_a_file_started_by_a_killed_process_is_created_again(tmp_path: Path) -> None:
    killed_while_unpacking(tmp_path)
    assert [path.suffix for path in files(tmp_path)] == [".part"]

    assert fetch(cache(tmp_path, max_bytes=SMALL), b"a") == b"a" * SMALL
    assert [path.suffix for path in files(tmp_path)] == [""]


def test_a_file_started_by_a_killed_process_is_evicted(tmp_path: Path) -> None:
    killed_while_unpacking(tmp_path)
    unpacked = cache(tmp_path, max_bytes=SMALL)

    fetch(unpacked, b"b")
    assert len(files(tmp_path)) == 1


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    def unpack(descriptor: int) -> None:
        os.write(descriptor, b"half")
        raise ValueError("torn")

    unpacked = cache(tmp_path)
    with pytest.raises(ValueError, match="torn"):
        fetch(unpacked, b"a", unpack=unpack)

    assert files(tmp_path) == []
    assert fetch(unpacked, b"a") == b"a" * SMALL


def test_a_full_disk_is_reported_and_leaves_nothing_behind(tmp_path: Path) -> None:
    def unpack(_descriptor: int) -> None:
        full = os.open("/dev/full", os.O_WRONLY)
        try:
            os.write(full, b"x")
        finally:
            os.close(full)

    with pytest.raises(OSError, match="No space left") as caught:
        fetch(cache(tmp_path), b"a", unpack=unpack)
    assert (caught.value.errno, files(tmp_path)) == (errno.ENOSPC, [])


def test_waiting_threads_retry_after_a_failure(tmp_path: Path) -> None:
    unpacked, begun, resume = cache(tmp_path), threading.Event(), threading.Event()

    def fail(_descriptor: int) -> None:
        begun.set()
        resume.wait(PATIENCE)
        raise ValueError("torn")

    with ThreadPoolExecutor(2) as threads:
        failing = threads.submit(fetch, unpacked, b"a", unpack=fail)
        begun.wait(PATIENCE)
        waiting = threads.submit(fetch, unpacked, b"a")
        resume.set()
        assert waiting.result(PATIENCE) == b"a" * SMALL
        assert isinstance(failing.exception(), ValueError)


def test_files_from_before_the_last_boot_are_not_used(tmp_path: Path) -> None:
    fetch(cache(tmp_path, boot="first"), b"a", unpack=filled_with(b"torn"))

    assert fetch(cache(tmp_path, boot="second"), b"a") == b"a" * SMALL


def test_the_boot_id_is_stable() -> None:
    assert boot_id()
    assert boot_id() == boot_id()


def test_all_files_are_closed(tmp_path: Path) -> None:
    descriptors = Path("/proc/self/fd")
    unpacked = cache(tmp_path, max_bytes=2 * SMALL)
    before = len(list(descriptors.iterdir()))
    for key in (b"a", b"b", b"c", b"a"):
        fetch(unpacked, key)

    assert len(list(descriptors.iterdir())) == before


# --- The limit ---


def test_the_oldest_files_are_evicted(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, max_bytes=16 * SMALL)
    keys = [bytes([letter]) for letter in range(65, 65 + 16)]
    for key in (b"Z", *keys[:15]):
        aged(unpacked, tmp_path, key) if key == b"Z" else fetch(unpacked, key)

    fetch(unpacked, keys[15])
    assert not has(unpacked, b"Z")
    assert kept(unpacked, keys)[-2:] == keys[-2:]
    # Eviction frees an additional eighth of the limit, so that the next files need no eviction.
    assert len(files(tmp_path)) == 14


def test_a_file_larger_than_the_limit_is_cached_alone(tmp_path: Path) -> None:
    unpacked = cache(tmp_path, max_bytes=4 * SMALL)
    fetch(unpacked, b"a")

    assert fetch(unpacked, b"b", size=9 * SMALL) == b"b" * 9 * SMALL
    assert kept(unpacked, [b"a", b"b"]) == [b"b"]
    fetch(unpacked, b"c")
    assert kept(unpacked, [b"a", b"b", b"c"]) == [b"c"]


def test_files_being_written_are_not_evicted(tmp_path: Path) -> None:
    unpacked, begun, resume = cache(tmp_path, max_bytes=SMALL), threading.Event(), threading.Event()

    def slowly(descriptor: int) -> None:
        begun.set()
        resume.wait(PATIENCE)
        filled_with(b"a" * SMALL)(descriptor)

    with ThreadPoolExecutor(2) as threads:
        slow = threads.submit(fetch, unpacked, b"a", unpack=slowly)
        begun.wait(PATIENCE)
        waiting = threads.submit(fetch, unpacked, b"b")
        while len(files(tmp_path)) < 2:
            assert not waiting.done()
        resume.set()
        assert (slow.result(PATIENCE), waiting.result(PATIENCE)) == (b"a" * SMALL, b"b" * SMALL)
    assert kept(unpacked, [b"a", b"b"]) == [b"b"]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 6 * SMALL)), max_size=40))
@settings(deadline=None)
def test_the_total_size_stays_within_the_limit(
    tmp_path_factory: pytest.TempPathFactory, wanted: list[tuple[int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("budget")
    unpacked = cache(folder, max_bytes=5 * SMALL)
    for key, size in wanted:
        fetch(unpacked, b"%d" % key, size=size, unpack=lambda _: None)
        sizes = [path.stat().st_size for path in files(folder)]
        assert sum(sizes) <= 5 * SMALL or len([size for size in sizes if size]) == 1


def test_threads_that_need_more_than_the_limit_wait_for_each_other(tmp_path: Path) -> None:
    def ask(number: int) -> bool:
        key = bytes([65 + number * 7 % 5])
        # Each has its own cache, like processes.
        with reading(cache(tmp_path, max_bytes=2 * SMALL), key) as descriptor:
            data = os.pread(descriptor, SMALL + 1, 0)
            return data == key * SMALL and os.fstat(descriptor).st_nlink == 1

    with ThreadPoolExecutor(6) as threads:
        assert all(threads.map(ask, range(150)))
    assert len(files(tmp_path)) <= 2


# --- Stopping ---


def test_waiting_is_cancelled_when_the_service_stops(tmp_path: Path) -> None:
    unpacked, begun, resume = cache(tmp_path), threading.Event(), threading.Event()

    def slowly(descriptor: int) -> None:
        begun.set()
        resume.wait(PATIENCE)
        filled_with(b"a" * SMALL)(descriptor)

    with ThreadPoolExecutor(2) as threads:
        slow = threads.submit(fetch, unpacked, b"a", unpack=slowly)
        begun.wait(PATIENCE)
        waiting = threads.submit(fetch, unpacked, b"a")
        unpacked.stop()
        assert isinstance(waiting.exception(PATIENCE), OSError)
        resume.set()
        assert slow.result(PATIENCE)


def test_unpacking_is_cancelled_when_the_service_stops(tmp_path: Path) -> None:
    unpacked = cache(tmp_path)
    unpacked.check_running()
    unpacked.stop()

    with pytest.raises(OSError, match="stopping"):
        unpacked.check_running()


# --- The folder ---


def test_a_deleted_folder_is_created_again(tmp_path: Path) -> None:
    unpacked = cache(tmp_path)
    fetch(unpacked, b"a")
    folder = tmp_path / "cache" / "unpacked"
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()

    assert fetch(unpacked, b"a") == b"a" * SMALL


def test_the_folder_is_not_accessible_to_others(tmp_path: Path) -> None:
    fetch(cache(tmp_path), b"a")

    assert (tmp_path / "cache" / "unpacked").stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in files(tmp_path))


@pytest.mark.parametrize("place", ["cache", "cache/unpacked"])
def test_a_file_at_the_folders_path_is_reported(tmp_path: Path, place: str) -> None:
    """The error is not FileNotFoundError, which would mean that a file of the library is missing."""
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_bytes(b"")

    with pytest.raises(CacheUnusable) as caught:
        fetch(cache(tmp_path), b"a")
    assert not isinstance(caught.value, FileNotFoundError | NotADirectoryError)


def test_a_folder_that_is_not_writable_is_reported(readable: Path) -> None:
    with without_permissions(), pytest.raises(CacheUnusable, match="Permission denied"):
        fetch(cache(readable), b"a")
