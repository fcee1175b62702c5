"""Which version a folder contains is recognized by its files."""

from pathlib import Path

import pytest

from client.installations import Player, tree
from client.lying_server import HostileServer, HostileVersion
from playdock_client.choosing import NoMatch
from playdock_client.errors import BadManifest
from playdock_client.progress import NoProgress
from playdock_client.recognizing import Recognition, recognize
from playdock_client.responses import VersionInfo

COMMON = {f"data/{number}": bytes([number]) * 100 for number in range(5)}
V1 = {**COMMON, "doom": b"one" * 100, "old.wad": b"old"}
V2 = {**COMMON, "doom": b"two" * 100}
V3 = {**COMMON, "doom": b"two" * 100, "more.wad": b"more"}
VERSIONS = [VersionInfo(name, name, "Linux") for name in ("v1", "v2", "v3")]


@pytest.fixture
def folder(hostile: HostileServer, tmp_path: Path) -> Path:
    """An empty folder, beside a server with three versions."""
    hostile.serve(*(HostileVersion(name, files) for name, files in (("v1", V1), ("v2", V2), ("v3", V3))))
    (tmp_path / "game").mkdir()
    return tmp_path / "game"


def recognized(player: Player) -> Recognition:
    return recognize(player.server, VERSIONS, player.folder, platforms=("Linux",), progress=NoProgress())


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (V1, ("v1", 7, 7)),
        (V2, ("v2", 6, 6)),
        (V3, ("v3", 7, 7)),
        ({**V1, "save": b"mine"}, ("v1", 7, 7)),
        ({**V1, "data/1": b"changed"}, ("v1", 6, 7)),
        ({"doom": V1["doom"]}, ("v1", 1, 7)),
        ({"doom": V2["doom"]}, ("v2", 1, 6)),
        ({"letter.txt": b"mine"}, ("v3", 0, 7)),
        ({}, ("v3", 0, 7)),
    ],
)
def test_the_version_whose_files_match_best_is_recognized(
    player: Player, folder: Path, files: dict[str, bytes], expected: tuple[str, int, int]
) -> None:
    for path, content in files.items():
        player.put(path, content)

    found = recognized(player)

    assert (found.version.id, found.matching, found.files) == expected
    assert (found.newest.id, found.has_update) == ("v3", expected[0] != "v3")
    assert tree(folder) == files
    assert not (folder / ".playdock").exists()


def test_the_manifest_of_another_version_is_refused(player: Player, folder: Path, hostile: HostileServer) -> None:
    hostile.versions["v2"] = hostile.versions["v1"]

    with pytest.raises(BadManifest):
        recognized(player)


def test_a_game_without_versions_is_reported(player: Player, folder: Path) -> None:
    with pytest.raises(NoMatch):
        recognize(player.server, [], folder, platforms=("Linux",), progress=NoProgress())
