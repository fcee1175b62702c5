"""Comparing versions without reading all their content: names, sizes, and some chunks."""

import os
import shutil
import zipfile
from pathlib import Path

import pytest

from playdock.storage.comparing import compare, count_alike
from playdock.storage.ingest import ingest
from playdock.storage.trees import open_tree
from spoiling import corrupt_file

from .test_verifying import imported
from .versions import FILES, at

LARGE = "game.exe"


def test_a_copy_has_no_differences(version: Path, tmp_path: Path) -> None:
    found = compare(open_tree(at(shutil.copytree(version, tmp_path / "copy", symlinks=True))), imported(version))
    assert (found.differences, found.same_times) == ((), True)


def test_different_times_are_reported(version: Path) -> None:
    layer = imported(version)
    os.utime(version / LARGE)
    found = compare(open_tree(at(version)), layer)
    assert (found.differences, found.same_times) == ((), False)


@pytest.mark.parametrize("place", [0, 1_500_000, 2_999_999])
def test_different_content_of_a_whole_chunk_is_found(version: Path, place: int) -> None:
    layer = imported(version)
    corrupt_file(version / LARGE, at=place)
    assert compare(open_tree(at(version)), layer).differences == ("\u201cgame.exe\u201d has different content.",)


def test_missing_files_and_different_sizes_are_named(version: Path) -> None:
    layer = imported(version)
    (version / LARGE).unlink()
    (version / "read me.txt").write_bytes(b"short")
    assert compare(open_tree(at(version)), layer).differences == (
        "\u201cgame.exe\u201d is missing.",
        "\u201cread me.txt\u201d has a different size.",
    )


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_archive_is_compared_like_a_folder(tmp_path: Path, method: int) -> None:
    for name, change in (("same.zip", b""), ("other.zip", b"!")):
        with zipfile.ZipFile(tmp_path / name, "w", method) as archive:
            for path, data in FILES.items():
                archive.writestr(path, data and change + data[len(change) :])
    layer = ingest(open_tree(at(tmp_path / "same.zip")), workers=1, checkpoint=lambda _: None)

    assert compare(open_tree(at(tmp_path / "same.zip")), layer).differences == ()
    differing = compare(open_tree(at(tmp_path / "other.zip")), layer).differences
    assert [sentence.split("\u201d")[1] for sentence in differing] == [" has different content."] * 3


def test_matching_files_are_counted_by_name_and_size(version: Path) -> None:
    layer = imported(version)
    (version / LARGE).unlink()
    corrupt_file(version / "data/zeros.bin")
    assert count_alike(open_tree(at(version)), layer.files) == len(FILES) - 1


def test_an_empty_version_has_no_differences(tmp_path: Path) -> None:
    (tmp_path / "1.0").mkdir()
    tree = open_tree(at(tmp_path / "1.0"))
    assert compare(tree, imported(tmp_path / "1.0")).differences == ()
