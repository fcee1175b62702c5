"""What the client keeps, and the lock on it."""

import subprocess
import sys
from pathlib import Path

import pytest

from client.installations import Player
from client.lying_server import LyingServer, LyingVersion
from playdock_client.errors import DiskTrouble, FolderBusy, NotInstalled
from playdock_client.installing import read_installation, verify
from playdock_client.own_folder import OwnFolder
from playdock_client.progress import Silent

HOLD = """
import sys
from pathlib import Path
from playdock_client.own_folder import OwnFolder
with OwnFolder(Path(sys.argv[1])).locked():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_one_process_at_a_time_works_on_a_folder(lying: LyingServer, player: Player) -> None:
    lying.serve(LyingVersion("v1", {"a": b"x"}))
    command = [sys.executable, "-c", HOLD, str(player.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(FolderBusy, match=str(other.pid)):
            player.install()
        other.kill()

    player.install()
    assert player.files() == {"a": b"x"}


def test_a_lock_in_the_same_process_holds_too(tmp_path: Path) -> None:
    with OwnFolder(tmp_path).locked(), pytest.raises(FolderBusy), OwnFolder(tmp_path).locked():
        pass


def test_a_folder_without_an_installation_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotInstalled):
        read_installation(tmp_path)
    with pytest.raises(NotInstalled):
        read_installation(tmp_path / "nowhere")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["installation.json", "manifest.zst"])
def test_what_is_kept_and_damaged_is_told(lying: LyingServer, player: Player, name: str) -> None:
    lying.serve(LyingVersion("v1", {"a": b"x"}))
    player.install()
    player.put(f".playdock/{name}", b"rot")

    with pytest.raises(NotInstalled, match="adopt"):
        verify(player.folder, progress=Silent())
    player.adopt()
    assert verify(player.folder, progress=Silent()).sound


def test_damaged_stamps_cost_only_time(lying: LyingServer, player: Player) -> None:
    lying.serve(LyingVersion("v1", {"a": b"x"}), LyingVersion("v2", {"a": b"y"}))
    player.install()
    player.put(".playdock/stamps", b"rot")

    assert player.update().aside == ()


def test_a_damaged_switch_is_told(player: Player) -> None:
    player.put(".playdock/switch.json", b"{")

    with pytest.raises(DiskTrouble, match="damaged"):
        read_installation(player.folder)
