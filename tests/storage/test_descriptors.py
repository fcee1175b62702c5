"""Descriptors are closed whatever fails after a file was opened, as on a network share that becomes stale."""

import errno
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from open_files import open_below
from playdock.content.file_table import ServedFile
from playdock.storage.archives import Archives
from playdock.storage.blobs import LocalBlobs
from playdock.storage.folder_tree import FolderTree
from playdock.storage.library_policy import LibraryPolicy
from playdock.storage.locations import VersionLocation
from playdock.storage.openers import BlobOpener, VersionOpener
from playdock.storage.trees import open_tree

from .test_zip_tree import one

KEY = "patches/" + "0" * 32
# Larger than what is unpacked in memory.
CONTENT = bytes(100_000)


def open_version(folder: Path) -> None:
    os.close(location(folder, "1.0").open())


def list_version(folder: Path) -> None:
    open_tree(location(folder, "1.0")).entries()


def read_head(folder: Path) -> None:
    FolderTree(location(folder, "1.0")).head("data/doom", length=1)


def serve_file(folder: Path) -> None:
    serve(folder, "1.0", folder / "library/1.0/data/doom", "data/doom")


def serve_member(folder: Path) -> None:
    serve(folder, "1.0.zip", folder / "library/1.0.zip", "doom")


def serve_blob(folder: Path) -> None:
    BlobOpener(LocalBlobs(folder / "blobs")).open(ServedFile(0, KEY, 0, 0, 0, 0, b"")).close()


def location(folder: Path, name: str) -> VersionLocation:
    return VersionLocation(folder / "library", name, LibraryPolicy([folder / "blobs"]))


def serve(folder: Path, version: str, path: Path, name: str) -> None:
    """Open a file as a transfer does, from an empty cache."""
    file = ServedFile(0, name, len(CONTENT), 0o644, path.stat().st_mtime_ns, crc32(CONTENT), bytes(32))
    cache = folder / "cache"
    for cached in cache.iterdir() if cache.exists() else ():
        cached.unlink()
    opener = VersionOpener([location(folder, version)], Archives(cache, 10**9))
    try:
        opener.open(file).close()
    finally:
        opener.release()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A library with the version of a game, as a folder and as an archive, and a blob."""
    data = tmp_path / "library/1.0/data"
    data.mkdir(parents=True)
    (data / "doom").write_bytes(CONTENT)
    one(tmp_path / "library/1.0.zip", CONTENT, name="doom", method=zipfile.ZIP_DEFLATED)
    LocalBlobs(tmp_path / "blobs").put(KEY, [b"patches"])
    return tmp_path


@pytest.mark.parametrize("failing", ["fstat", "stat"])
@pytest.mark.parametrize("act", [open_version, list_version, read_head, serve_file, serve_member, serve_blob])
def test_nothing_is_left_open_if_the_state_of_a_file_cannot_be_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Path], None], failing: str
) -> None:
    """Each call fails in turn, until the whole operation is done without reaching the failing one."""
    original, left = getattr(os, failing), 0

    def fail_once(*arguments: Any, **options: Any) -> os.stat_result:
        nonlocal left
        left -= 1
        if left == 0:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        result: os.stat_result = original(*arguments, **options)
        return result

    monkeypatch.setattr(os, failing, fail_once)
    failures = 0
    while left <= 0:
        failures += 1
        left = failures
        try:
            act(folder)
        except OSError:
            assert left <= 0
        assert open_below(folder) == []
    monkeypatch.undo()
    act(folder)
