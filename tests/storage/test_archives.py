"""Serving members of archives: each compression method, changed archives, and many threads."""

import os
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from open_files import open_below
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.file_table import ServedFile
from playdock.storage.archives import ArchiveFiles, Archives, open_archive
from playdock.storage.sequential_tree import SequentialTree
from playdock.storage.zip_tree import ZipTree

from .test_zip_tree import CRC, METHODS, SIZE, pack, patch
from .test_zip_tree import one as pack_one
from .versions import FILES, at, without_permissions

PACKED = METHODS[1:]
LARGE = 10**9
CONTENT = b"content" * 10_000


def one(path: Path, data: bytes = CONTENT, *, name: str = "file", method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write an archive with one member that is not small."""
    return pack_one(path, data, name=name, method=method)


def member(path: Path, name: str = "file", data: bytes = CONTENT) -> ServedFile:
    """Return the served file of a member in its current state."""
    return ServedFile(0, name, len(data), 0o644, path.stat().st_mtime_ns, crc32(data), bytes(32))


def stand(tmp_path: Path, *, max_bytes: int = LARGE, max_members: int = 1000) -> Archives:
    return Archives(tmp_path / "cache", max_bytes, max_members=max_members)


def cached(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "cache"
    return [path for path in folder.iterdir() if path.name != "total"] if folder.exists() else []


def open_files(path: Path, archives: Archives) -> ArchiveFiles:
    """Open an archive as an opener does."""
    return open_archive(at(path), at(path).open(), archives, max_wait=None)


def tree_of(path: Path, archives: Archives) -> ZipTree | SequentialTree:
    with os.fdopen(at(path).open(), "rb") as file:
        return archives.tree(at(path), file.fileno())


@contextmanager
def archive_files(path: Path, archives: Archives) -> Iterator[ArchiveFiles]:
    found = open_files(path, archives)
    try:
        yield found
    finally:
        found.close()


def read(path: Path, archives: Archives, file: ServedFile, *, start: int = 0, end: int | None = None) -> bytes:
    """Return a part of a file, read as a transfer does."""
    with archive_files(path, archives) as files:
        opened = files.open(file)
    try:
        opened.check()
        return os.pread(opened.descriptor, (file.size if end is None else end) - start, opened.base + start)
    finally:
        opened.close()


# --- Content ---


@pytest.mark.parametrize("method", METHODS)
def test_members_have_their_original_content(tmp_path: Path, method: int) -> None:
    path, archives = pack(tmp_path / "a.zip", method=method), stand(tmp_path)

    for name, data in FILES.items():
        assert read(path, archives, member(path, name, data)) == data


def test_stored_members_are_read_in_place(tmp_path: Path) -> None:
    path, archives = one(tmp_path / "a.zip", method=zipfile.ZIP_STORED), stand(tmp_path)

    with archive_files(path, archives) as files:
        opened = files.open(member(path))
    assert (opened.size, opened.mtime_ns) == (path.stat().st_size, path.stat().st_mtime_ns)
    assert os.path.samestat(os.fstat(opened.descriptor), path.stat())
    opened.close()
    assert cached(tmp_path) == []


@pytest.mark.parametrize("method", PACKED)
def test_compressed_members_are_decompressed_once(tmp_path: Path, method: int) -> None:
    path, archives = one(tmp_path / "a.zip", method=method), stand(tmp_path)
    with archive_files(path, archives) as files:
        files.check(member(path))
        assert cached(tmp_path) == []
        files.open(member(path)).close()
    # A second decompression would find this.
    [unpacked] = cached(tmp_path)
    unpacked.write_bytes(b"x" * len(CONTENT))

    assert read(path, archives, member(path)) == b"x" * len(CONTENT)


@pytest.mark.parametrize("method", PACKED)
def test_small_members_are_not_cached_on_disk(tmp_path: Path, method: int) -> None:
    path, archives = one(tmp_path / "a.zip", b"small", method=method), stand(tmp_path)

    assert read(path, archives, member(path, data=b"small")) == b"small"
    assert cached(tmp_path) == []


@pytest.fixture(scope="module", params=METHODS, ids=str)
def large(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Archives]:
    """An archive with one member of 300,000 bytes, and the archives that serve it."""
    folder = tmp_path_factory.mktemp("large")
    return one(folder / "a.zip", Random(3).randbytes(300_000), method=request.param), stand(folder)


@given(st.integers(0, 300_000), st.integers(0, 300_000))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_part_has_its_original_content(large: tuple[Path, Archives], start: int, end: int) -> None:
    path, archives = large
    data = Random(3).randbytes(300_000)

    part = read(path, archives, member(path, data=data), start=min(start, end), end=max(start, end))
    assert part == data[min(start, end) : max(start, end)]


def test_members_with_the_same_name_in_two_archives_are_distinct(tmp_path: Path) -> None:
    archives = stand(tmp_path)
    for letter in (b"a", b"b"):
        path = one(tmp_path / f"{letter.decode()}.zip", letter * 100)
        assert read(path, archives, member(path, data=letter * 100)) == letter * 100


def test_all_files_are_closed(tmp_path: Path) -> None:
    path, archives = pack(tmp_path / "a.zip"), stand(tmp_path)
    for name, data in FILES.items():
        read(path, archives, member(path, name, data))

    assert open_below(tmp_path) == []


# --- Rejected content ---


@pytest.mark.parametrize("method", METHODS)
def test_an_archive_changed_since_the_import_is_not_served(tmp_path: Path, method: int) -> None:
    path, archives = one(tmp_path / "a.zip", method=method), stand(tmp_path)
    imported = member(path)
    read(path, archives, imported)
    os.utime(path, ns=(1, 1))

    with pytest.raises(VersionChanged):
        read(path, archives, imported)


@pytest.mark.parametrize("method", METHODS)
def test_an_archive_that_changes_while_it_is_read_is_not_served(tmp_path: Path, method: int) -> None:
    path, archives = one(tmp_path / "a.zip", method=method), stand(tmp_path)
    imported = member(path)
    with archive_files(path, archives) as files:
        files.open(imported).close()
        os.utime(path, ns=(1, 1))
        with pytest.raises(VersionChanged):
            files.open(imported)


@pytest.mark.parametrize("other", [{"name": "another"}, {"data": b"CONTENT" * 10_000}, {"data": b"content"}])
def test_an_archive_with_the_same_time_must_have_the_same_member(tmp_path: Path, other: dict[str, object]) -> None:
    path = one(tmp_path / "a.zip")
    imported = member(path, **other)  # type: ignore[arg-type]

    with pytest.raises(VersionChanged):
        read(path, stand(tmp_path), imported)


@pytest.mark.parametrize("method", PACKED)
@pytest.mark.parametrize("content", [CONTENT, Random(1).randbytes(500)], ids=["large", "small"])
def test_a_damaged_member_is_reported_and_not_cached(tmp_path: Path, method: int, content: bytes) -> None:
    path = one(tmp_path / "a.zip", content, method=method)
    data = bytearray(path.read_bytes())
    data[34:54] = b"\xff" * 20
    path.write_bytes(data)

    with pytest.raises(UnusableVersion, match="“file” is damaged"):
        read(path, stand(tmp_path), member(path, data=content))
    assert cached(tmp_path) == []


@pytest.mark.parametrize("method", PACKED)
def test_a_member_with_a_wrong_checksum_is_damaged(tmp_path: Path, method: int) -> None:
    path = patch(one(tmp_path / "a.zip", method=method), CRC, bytes(4))

    with pytest.raises(UnusableVersion, match="“file” is damaged"):
        read(path, stand(tmp_path), member(path)._replace(crc32=0))
    assert cached(tmp_path) == []


@pytest.mark.parametrize("method", PACKED)
def test_a_member_that_grows_beyond_its_size_is_damaged(tmp_path: Path, method: int) -> None:
    path = patch(one(tmp_path / "a.zip", bytes(10**6), method=method), SIZE, (10**5).to_bytes(4, "little"))
    declared = member(path, data=bytes(10**6))._replace(size=10**5)

    with pytest.raises(UnusableVersion, match="“file” is damaged"):
        read(path, stand(tmp_path), declared)
    assert cached(tmp_path) == []


def test_a_missing_archive_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_files(tmp_path / "a.zip", stand(tmp_path))


def test_a_pipe_that_replaces_an_archive_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.zip")

    with pytest.raises(VersionChanged):
        open_files(tmp_path / "a.zip", stand(tmp_path))


def test_an_unreadable_archive_is_reported(readable: Path) -> None:
    path = one(readable / "a.zip")
    path.chmod(0)

    with without_permissions(), pytest.raises(PermissionError):
        open_files(path, stand(readable))


# --- The directory of an archive ---


def test_a_directory_is_read_once_for_all_threads(tmp_path: Path) -> None:
    path, archives, start = pack(tmp_path / "a.zip"), stand(tmp_path), threading.Barrier(8)

    def ask(_: int) -> int:
        start.wait(120)
        return id(tree_of(path, archives))

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(ask, range(8))) == {id(tree_of(path, archives))}


def test_a_directory_is_read_again_when_the_archive_changes(tmp_path: Path) -> None:
    path, archives = one(tmp_path / "a.zip"), stand(tmp_path)
    before = tree_of(path, archives)
    one(path, name="other")
    os.utime(path, ns=(1, 1))

    assert (before.member_names, tree_of(path, archives).member_names) == (("file",), ("other",))


def test_a_failure_to_read_a_directory_is_not_cached(tmp_path: Path) -> None:
    sound = one(tmp_path / "a.zip").read_bytes()
    path, archives = tmp_path / "b.zip", stand(tmp_path)
    path.write_bytes(bytes(len(sound)))
    os.utime(path, ns=(1, 1))
    with pytest.raises(UnusableVersion):
        tree_of(path, archives)
    path.write_bytes(sound)
    os.utime(path, ns=(1, 1))

    assert tree_of(path, archives).member_names == ("file",)


def test_the_cache_of_directories_is_limited(tmp_path: Path) -> None:
    archives = stand(tmp_path, max_members=4)
    paths = [one(tmp_path / f"{number}.zip") for number in range(3)]
    first, second = tree_of(paths[0], archives), tree_of(paths[1], archives)
    assert tree_of(paths[0], archives) is first
    third = tree_of(paths[2], archives)

    assert (tree_of(paths[0], archives) is first, tree_of(paths[2], archives) is third) == (True, True)
    assert tree_of(paths[1], archives) is not second


def test_a_directory_of_any_size_is_cached(tmp_path: Path) -> None:
    path, archives = pack(tmp_path / "a.zip"), stand(tmp_path, max_members=1)

    assert tree_of(path, archives) is tree_of(path, archives)


# --- Concurrency and shutdown ---


def test_many_threads_can_share_a_cache_that_is_too_small(tmp_path: Path) -> None:
    contents = {f"file {number}": Random(number).randbytes(100_000) for number in range(6)}
    path, archives = tmp_path / "a.zip", stand(tmp_path, max_bytes=250_000)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)

    def ask(number: int) -> bool:
        name = f"file {number * 5 % 6}"
        return read(path, archives, member(path, name, contents[name])) == contents[name]

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(ask, range(120)))
    assert len(cached(tmp_path)) <= 2


def test_decompression_is_cancelled_when_the_service_stops(tmp_path: Path) -> None:
    path, archives = one(tmp_path / "a.zip"), stand(tmp_path)
    archives.stop()

    with pytest.raises(OSError, match="stopping"):
        read(path, archives, member(path))
    assert cached(tmp_path) == []
