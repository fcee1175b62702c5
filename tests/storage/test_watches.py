"""Noticing that folders have got or lost entries."""

from pathlib import Path

import pytest

from playdock.storage import watches
from playdock.storage.mounts import is_remote
from playdock.storage.watches import FolderWatches

_MOUNTS = """\
25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 25 0:44 / /srv/share\\040one rw,relatime shared:2 - nfs4 nas:/games rw
41 25 8:2 / /srv/local rw - xfs /dev/sdb rw
42 41 0:45 / /srv/local/remote rw master:1 - fuse.sshfs me@nas: rw
43 25 0:46 / /srv/over rw - cifs //nas/over rw
44 43 8:3 / /srv/over rw - btrfs /dev/sdc rw
broken line
"""


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("/srv/games", False),
        ("/srv/share one/games", True),
        ("/srv/share", False),
        ("/srv/local/games", False),
        ("/srv/local/remote/games", True),
        ("/srv/over/games", False),
    ],
)
def test_network_file_systems_are_recognized(folder: str, *, expected: bool) -> None:
    assert is_remote(Path(folder), _MOUNTS) is expected


def test_a_folder_that_is_mounted_over_another_one_is_watched(tmp_path: Path) -> None:
    base = tmp_path / "games"
    base.mkdir()
    watching = FolderWatches()
    try:
        assert watching.watch(base, [])
        # As after mounting, the folder that was watched still exists, but not here.
        base.rename(tmp_path / "before")
        base.mkdir()
        assert watching.watch(base, [])
        (base / "Doom").mkdir()
        assert watching.wait(5)
        watching.wait(0)
        (tmp_path / "before" / "Quake").mkdir()
        assert not watching.wait(0)
    finally:
        watching.close()


@pytest.mark.parametrize("remote", [False, True])
def test_new_entries_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, remote: bool) -> None:
    monkeypatch.setattr(watches, "reports_changes", lambda _base: not remote)
    monkeypatch.setattr(watches, "_MIN_POLL_SECONDS", 0)
    monkeypatch.setattr(watches, "_MAX_POLL_SHARE", 1)
    game = tmp_path / "Doom"
    game.mkdir()
    watching = FolderWatches()
    try:
        assert watching.watch(tmp_path, [game])
        assert not watching.watch(tmp_path, [game])
        assert bool(watching.polled) is remote
        assert not watching.wait(0)

        (game / "1.0").mkdir()
        assert watching.wait(5)
        assert not watching.wait(0)
        (tmp_path / "Quake").mkdir()
        assert watching.wait(5)
        assert watching.watch(tmp_path, [game, tmp_path / "Quake"])
        watching.forget_others([tmp_path, game])
        assert watching.watch(tmp_path, [game, tmp_path / "Quake"])
    finally:
        watching.close()


def test_folders_beyond_the_limit_of_the_system_are_polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watches, "reports_changes", lambda _base: True)
    inotify_simple = pytest.importorskip("inotify_simple")
    add_watch = inotify_simple.INotify.add_watch

    def add_the_first(self: object, path: Path, mask: int) -> int:
        if path != tmp_path:
            raise OSError(28, "No space left on device")
        watch: int = add_watch(self, path, mask)
        return watch

    monkeypatch.setattr(inotify_simple.INotify, "add_watch", add_the_first)
    watching = FolderWatches()
    try:
        games = [tmp_path / "Doom", tmp_path / "Quake"]
        assert watching.watch(tmp_path, games)
        assert set(watching.polled) == set(games)
    finally:
        watching.close()
