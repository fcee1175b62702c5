"""The entry of a single file of a version."""

from pathlib import Path

import pytest

from playdock.content.errors import VersionChanged
from playdock.storage.trees import Tree, open_tree

from .test_zip_tree import pack
from .versions import FILES, at


@pytest.fixture(params=["folder", "archive"])
def tree(request: pytest.FixtureRequest, version: Path, tmp_path: Path) -> Tree:
    return open_tree(at(version if request.param == "folder" else pack(tmp_path / "1.0.zip")))


def test_the_entry_of_a_file_is_the_same_as_in_the_listing(tree: Tree) -> None:
    files = [entry for entry in tree.entries() if entry.target is None]

    assert [tree.entry(path) for path in sorted(FILES)] == files


@pytest.mark.parametrize("path", ["missing", "data/missing", "../1.0/game.exe", ""])
def test_a_missing_file_is_reported_as_changed(tree: Tree, path: str) -> None:
    with pytest.raises(VersionChanged):
        tree.entry(path)
