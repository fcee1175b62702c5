"""`shortcut` and `steam`."""

import sys
from pathlib import Path

import pytest

from .conftest import Player
from .test_launching import install

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="The folders of these tests are Linux's.")


def test_shortcuts_are_added_and_removed(player: Player) -> None:
    folder = install(player, {"doom": "#!/bin/sh\n"})

    added = player.run("shortcut", folder, "--menu", "--desktop", "--json")
    removed = player.run("shortcut", folder, "--remove", "--json")

    assert added.status == 0, added.err
    assert [name.rpartition("/")[0] for name in added.document["files"]] == [
        f"{player.home}/.local/share/applications",
        f"{player.home}/Desktop",
    ]
    assert removed.document == {"event": "removed", "files": added.document["files"]}
    assert player.run("shortcut", folder, "--remove").out == "The game has no shortcuts.\n"
    assert player.run("shortcut", folder).status == 2


def test_a_game_is_added_to_steam_and_removed(player: Player) -> None:
    folder = install(player, {"doom": "#!/bin/sh\n"})
    config = player.home / ".local/share/Steam/userdata/11/config"

    missing = player.run("steam", folder, "--add")
    config.mkdir(parents=True)
    added = player.run("steam", folder, "--add", "--json")
    there = (config / "shortcuts.vdf").read_bytes()
    removed = player.run("steam", folder, "--remove")

    assert "Steam was not found on this machine." in missing.err
    assert added.document == {"event": "added", "accounts": ["11"]}
    assert str(folder).encode() in there
    assert removed.out == "Doom is no longer in Steam.\n"
    assert list(config.iterdir()) == []


def test_uninstalling_removes_shortcuts_and_the_entry_in_steam(player: Player) -> None:
    folder = install(player, {"doom": "#!/bin/sh\n"})
    config = player.home / ".local/share/Steam/userdata/11/config"
    config.mkdir(parents=True)
    (file,) = player.run("shortcut", folder, "--menu", "--json").document["files"]
    player.run("steam", folder, "--add")

    uninstalled = player.run("uninstall", folder)

    assert uninstalled.status == 0, uninstalled.err
    assert not Path(file).exists()
    assert list(config.iterdir()) == []
