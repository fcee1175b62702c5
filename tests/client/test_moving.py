"""Moving an installation to another folder."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from client.installations import Player
from client.lying_server import HostileServer, HostileVersion
from playdock_client import api
from playdock_client.app.moving import move_installation
from playdock_client.errors import DiskFull, FolderTaken, NotInstalled

_OTHER_DISK = Path("/dev/shm")


class _Stopped(api.ClientError):
    pass


class _Stop(api.NoProgress):
    def check(self) -> None:
        raise _Stopped


@pytest.fixture
def other_disk() -> Iterator[Path]:
    if not _OTHER_DISK.is_dir():
        pytest.skip("There is no other file system.")
    with tempfile.TemporaryDirectory(dir=_OTHER_DISK) as folder:
        yield Path(folder)


@pytest.fixture(autouse=True)
def _version(hostile: HostileServer) -> None:
    hostile.serve(HostileVersion("v1", {"game": b"1" * 100_000}))


def test_an_installation_is_moved(player: Player, tmp_path: Path) -> None:
    player.install()
    (player.folder / "mine").write_text("my own")
    target = tmp_path / "other" / "game"
    move_installation(player.folder, target, progress=api.NoProgress())
    assert not player.folder.exists()
    assert (target / "mine").read_text() == "my own"
    assert api.verify(target, progress=api.NoProgress(), deep=False).intact


def test_an_installation_is_moved_to_another_disk(player: Player, other_disk: Path) -> None:
    player.install()
    target = other_disk / "game"
    with pytest.raises(_Stopped):
        move_installation(player.folder, target, progress=_Stop())
    assert list(other_disk.iterdir()) == []
    assert api.verify(player.folder, progress=api.NoProgress()).intact
    move_installation(player.folder, target, progress=api.NoProgress())
    assert not player.folder.exists()
    # Its files have their modification times, so that they need not be read.
    assert api.verify(target, progress=api.NoProgress(), deep=False).checked == 0


def test_an_existing_folder_is_not_used(player: Player, tmp_path: Path) -> None:
    player.install()
    (tmp_path / "taken").mkdir()
    with pytest.raises(FolderTaken):
        move_installation(player.folder, tmp_path / "taken", progress=api.NoProgress())
    assert player.folder.is_dir()


def test_a_disk_without_space_is_noticed_before(
    player: Player, other_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player.install()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 0))
    with pytest.raises(DiskFull):
        move_installation(player.folder, other_disk / "game", progress=api.NoProgress())


def test_only_installations_are_moved(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with pytest.raises(NotInstalled):
        move_installation(tmp_path / "other", tmp_path / "target", progress=api.NoProgress())
