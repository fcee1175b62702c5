"""Checking whether a version has a file at a path, without listing the version."""

from pathlib import Path

import pytest

from audit import told_of
from playdock.storage.trees import Tree, open_tree

from .test_zip_tree import pack
from .versions import FILES, at

NOWHERE = """
. data data/ missing missing/game.exe game.exe/x GAME.EXE ../1.0/game.exe /etc/passwd data/../game.exe ./game.exe
links/elsewhere/link data/link/x a\0b
"""


@pytest.fixture(params=["folder", "archive"])
def tree(request: pytest.FixtureRequest, version: Path, tmp_path: Path) -> Tree:
    (version / "links").mkdir()
    (version / "links/elsewhere").symlink_to("../data")
    return open_tree(at(version if request.param == "folder" else pack(tmp_path / "1.0.zip")))


@pytest.mark.parametrize("path", [*FILES, "data/link"])
def test_files_and_links_exist(tree: Tree, path: str) -> None:
    assert tree.has(path)


@pytest.mark.parametrize("path", [*NOWHERE.split(), "", "x" * 5000])
def test_nothing_else_exists(tree: Tree, path: str) -> None:
    assert not tree.has(path)


def test_no_folder_is_listed_to_find_a_path(tree: Tree) -> None:
    listed: list[object] = []
    with told_of("os.scandir", listed.append), told_of("os.listdir", listed.append):
        assert not tree.has("data/missing")
    assert listed == []
