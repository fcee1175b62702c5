"""Reading versions again: what differs from the import is found, and told apart."""

import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from playdock.content.damage import FileFault
from playdock.content.records import Layer
from playdock.storage.ingest import ingest
from playdock.storage.trees import open_tree
from playdock.storage.verifying import verify
from spoiling import rot

from .versions import FILES, without_rights

LARGE, SMALL = "game.exe", "data/levels/1.pak"


def imported(path: Path) -> Layer:
    return ingest(open_tree(path), workers=2, checkpoint=lambda _: None)


def verified(path: Path, layer: Layer) -> dict[str, FileFault]:
    return verify(open_tree(path), layer, workers=2, tell=lambda _: None)


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def test_what_is_as_it_was_has_no_fault(version: Path) -> None:
    assert verified(version, imported(version)) == {}


@pytest.mark.parametrize("name", [LARGE, SMALL])
@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (rot, FileFault.ROT),
        (os.unlink, FileFault.MISSING),
        (os.utime, FileFault.CHANGED),
        (lambda path: path.write_bytes(b"short"), FileFault.CHANGED),
        (replace_by_pipe, FileFault.UNREADABLE),
    ],
)
def test_each_fault_is_told_apart(version: Path, name: str, spoil: Callable[[Path], object], fault: FileFault) -> None:
    layer = imported(version)
    spoil(version / name)
    assert verified(version, layer) == {name: fault}


def test_a_file_that_may_not_be_read_is_unreadable(version: Path, readable: Path) -> None:
    copied = shutil.copytree(version, readable / "1.0", symlinks=True)
    layer = imported(copied)
    (copied / SMALL).chmod(0)
    with without_rights():
        assert verified(copied, layer) == {SMALL: FileFault.UNREADABLE}


def test_what_has_come_since_is_let_be(version: Path) -> None:
    layer = imported(version)
    (version / "new").write_bytes(b"new")
    os.mkfifo(version / "pipe")
    assert verified(version, layer) == {}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("name", [LARGE, SMALL])
def test_a_rotten_member_of_an_archive_is_found(tmp_path: Path, method: int, name: str) -> None:
    packed = tmp_path / "1.0.zip"
    with zipfile.ZipFile(packed, "w", method) as archive:
        for path, data in FILES.items():
            archive.writestr(path, data)
        place = archive.getinfo(name).header_offset
    layer = imported(packed)

    rot(packed, at=place + 1000)

    assert verified(packed, layer) == {name: FileFault.ROT}


def test_a_file_that_changes_while_it_is_read_has_changed(version: Path) -> None:
    layer = imported(version)
    told: list[int] = []

    def tell(count: int) -> None:
        if not told:
            (version / "data/zeros.bin").unlink()
        told.append(count)

    found = verify(open_tree(version), layer, workers=2, tell=tell)

    assert found == {"data/zeros.bin": FileFault.MISSING}
    assert told[-1] > len(FILES[LARGE])


def test_a_stop_is_let_through(version: Path) -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify(open_tree(version), imported(version), workers=2, tell=stop)
