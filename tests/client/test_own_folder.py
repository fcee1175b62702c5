"""What the client keeps, and the lock on it."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from client.installations import Player
from client.lying_server import HostileServer, HostileVersion
from playdock_client.errors import DiskError, FolderBusy, NotInstalled
from playdock_client.installer import explained_disk_errors
from playdock_client.installing import read_installation, verify
from playdock_client.own_folder import OwnFolder
from playdock_client.progress import NoProgress

HOLD = """
import sys
from pathlib import Path
from playdock_client.own_folder import OwnFolder
with OwnFolder(Path(sys.argv[1])).locked():
    print("held", flush=True)
    sys.stdin.read()
"""

VERIFY = """
import sys
from pathlib import Path
from playdock_client.installing import verify
from playdock_client.progress import NoProgress
try:
    (Path(sys.argv[1]) / "written").touch()
except OSError:
    print("intact" if verify(Path(sys.argv[1]), progress=NoProgress()).intact else "damaged")
"""


def test_only_one_process_at_a_time_can_use_a_folder(hostile: HostileServer, player: Player) -> None:
    hostile.serve(HostileVersion("v1", {"a": b"x"}))
    command = [sys.executable, "-c", HOLD, str(player.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(FolderBusy, match=str(other.pid)):
            player.install()
        other.kill()

    player.install()
    assert player.files() == {"a": b"x"}


def test_a_lock_also_applies_within_the_same_process(tmp_path: Path) -> None:
    with OwnFolder(tmp_path).locked(), pytest.raises(FolderBusy), OwnFolder(tmp_path).locked():
        pass


def test_a_folder_without_an_installation_is_reported(tmp_path: Path) -> None:
    with pytest.raises(NotInstalled):
        read_installation(tmp_path)
    with pytest.raises(NotInstalled):
        read_installation(tmp_path / "nowhere")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["installation.json", "manifest.zst"])
def test_damaged_client_files_are_reported(hostile: HostileServer, player: Player, name: str) -> None:
    hostile.serve(HostileVersion("v1", {"a": b"x"}))
    player.install()
    player.put(f".playdock/{name}", b"rot")

    with pytest.raises(NotInstalled, match="adopt"):
        verify(player.folder, progress=NoProgress())
    player.adopt()
    assert verify(player.folder, progress=NoProgress()).intact


def test_an_update_works_with_damaged_stamps(hostile: HostileServer, player: Player) -> None:
    hostile.serve(HostileVersion("v1", {"a": b"x"}), HostileVersion("v2", {"a": b"y"}))
    player.install()
    player.put(".playdock/stamps", b"rot")

    assert player.update().aside == ()


def test_a_damaged_switch_is_reported(player: Player) -> None:
    player.put(".playdock/switch.json", b"{")

    with pytest.raises(DiskError, match="damaged"):
        read_installation(player.folder)


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.EROFS, "read-only"),
        (errno.EFBIG, "too large for this disk"),
        (errno.EBUSY, "Close the program"),
        (errno.EACCES, "its permissions"),
        (errno.EIO, "Check the disk"),
    ],
)
def test_disk_errors_say_what_to_do(tmp_path: Path, number: int, advice: str) -> None:
    with pytest.raises(DiskError, match=advice), explained_disk_errors(tmp_path):
        raise OSError(number, os.strerror(number))


def test_an_installation_on_a_read_only_disk_can_be_verified(
    hostile: HostileServer, player: Player, tmp_path: Path
) -> None:
    hostile.serve(HostileVersion("v1", {"a": b"x"}))
    player.install()
    folder = player.folder
    mount = f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder}"
    try:
        subprocess.run(["unshare", "-rm", "sh", "-c", mount], check=True, capture_output=True, timeout=120)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("This system does not let us mount a disk.")
    command = ["unshare", "-rm", "sh", "-c", f'{mount} && exec "$0" "$@"', sys.executable, "-c", VERIFY, str(folder)]
    told = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)

    assert told.stdout == "intact\n", told.stderr
