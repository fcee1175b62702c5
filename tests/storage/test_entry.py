"""A look at one file of a version."""

from pathlib import Path

import pytest

from playdock.content.errors import VersionChanged
from playdock.storage.trees import Tree, open_tree

from .test_zip_tree import pack
from .versions import FILES


@pytest.fixture(params=["folder", "archive"])
def tree(request: pytest.FixtureRequest, version: Path, tmp_path: Path) -> Tree:
    return open_tree(version if request.param == "folder" else pack(tmp_path / "1.0.zip"))


def test_one_file_looks_as_it_does_among_all(tree: Tree) -> None:
    files = [entry for entry in tree.entries() if entry.target is None]

    assert [tree.entry(path) for path in sorted(FILES)] == files


@pytest.mark.parametrize("path", ["missing", "data/missing", "../1.0/game.exe", ""])
def test_a_file_that_is_not_there_has_changed(tree: Tree, path: str) -> None:
    with pytest.raises(VersionChanged):
        tree.entry(path)
