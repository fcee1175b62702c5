"""Verifying versions: differences from the import are found and distinguished."""

import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from playdock.content.damage import FileProblem
from playdock.content.records import Layer
from playdock.storage.ingest import ingest
from playdock.storage.trees import open_tree
from playdock.storage.verifying import verify
from spoiling import corrupt_file

from .versions import FILES, at, without_permissions

LARGE, SMALL = "game.exe", "data/levels/1.pak"


def imported(path: Path) -> Layer:
    return ingest(open_tree(at(path)), workers=2, checkpoint=lambda _: None)


def verified(path: Path, layer: Layer) -> dict[str, FileProblem]:
    return verify(open_tree(at(path)), layer, workers=2, report=lambda _: None)


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def test_an_unchanged_version_has_no_problems(version: Path) -> None:
    assert verified(version, imported(version)) == {}


@pytest.mark.parametrize("name", [LARGE, SMALL])
@pytest.mark.parametrize(
    ("corrupt", "fault"),
    [
        (corrupt_file, FileProblem.ROT),
        (os.unlink, FileProblem.MISSING),
        (os.utime, FileProblem.CHANGED),
        (lambda path: path.write_bytes(b"short"), FileProblem.CHANGED),
        (replace_by_pipe, FileProblem.UNREADABLE),
    ],
)
def test_each_kind_of_problem_is_distinguished(
    version: Path, name: str, corrupt: Callable[[Path], object], fault: FileProblem
) -> None:
    layer = imported(version)
    corrupt(version / name)
    assert verified(version, layer) == {name: fault}


def test_a_file_without_read_permission_is_unreadable(version: Path, readable: Path) -> None:
    copied = shutil.copytree(version, readable / "1.0", symlinks=True)
    layer = imported(copied)
    (copied / SMALL).chmod(0)
    with without_permissions():
        assert verified(copied, layer) == {SMALL: FileProblem.UNREADABLE}


def test_added_files_are_distinguished_from_damage(version: Path) -> None:
    layer = imported(version)
    (version / "new").write_bytes(b"new")
    (version / "link").symlink_to("new")
    os.mkfifo(version / "pipe")
    corrupt_file(version / SMALL)
    assert verified(version, layer) == {"new": FileProblem.ADDED, SMALL: FileProblem.ROT}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("name", [LARGE, SMALL])
def test_a_corrupted_member_of_an_archive_is_found(tmp_path: Path, method: int, name: str) -> None:
    packed = tmp_path / "1.0.zip"
    with zipfile.ZipFile(packed, "w", method) as archive:
        for path, data in FILES.items():
            archive.writestr(path, data)
        place = archive.getinfo(name).header_offset
    layer = imported(packed)

    corrupt_file(packed, at=place + 1000)

    assert verified(packed, layer) == {name: FileProblem.ROT}


def test_a_file_that_changes_while_it_is_read_is_reported_as_changed(version: Path) -> None:
    layer = imported(version)
    told: list[int] = []

    def tell(count: int) -> None:
        if not told:
            (version / "data/zeros.bin").unlink()
        told.append(count)

    found = verify(open_tree(at(version)), layer, workers=2, report=tell)

    assert found == {"data/zeros.bin": FileProblem.MISSING}
    assert told[-1] > len(FILES[LARGE])


def test_an_exception_of_the_callback_is_raised(version: Path) -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify(open_tree(at(version)), imported(version), workers=2, report=stop)
