"""Shortcuts of games, the scheme of links, and the links themselves."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from playdock_client.client_folders import ClientFolders
from playdock_client.links import InstallLink, InvalidLink, parse_link
from playdock_client.machine import Machine
from playdock_client.shortcuts.desktop_entry import DesktopEntry, quoted_argument
from playdock_client.shortcuts.game_shortcuts import (
    CannotMakeShortcut,
    GameShortcuts,
    ShortcutPlace,
    ShortcutTarget,
    linux_desktop,
)
from playdock_client.shortcuts.link_scheme import CannotRegister, register_scheme, unregister_scheme

GAME = "0192f0c1-1f2e-7a3b-8c4d-5e6f708192a3"
LINUX = Machine("Linux")
HOSTILE = 'Doom\nExec=rm -rf ~ %u "$(reboot)" \\ `id` \x1b[2J'


def environment(home: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "PLAYDOCK_CLIENT_PROGRAM": "/opt/play dock/client", **more}


def shortcuts(home: Path, **more: str) -> GameShortcuts:
    return GameShortcuts(LINUX, ClientFolders(home, home), environment(home, **more))


def validated(file: Path) -> str:
    """Return the content of a desktop entry, which is valid if there is a program to say so."""
    if validator := shutil.which("desktop-file-validate"):
        checked = subprocess.run([validator, file], capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stdout) == (0, "")
    return file.read_text()


@pytest.mark.parametrize(
    ("argument", "quoted"),
    [
        ("doom", "doom"),
        ("", '""'),
        ("%u", "%u"),
        ("a%ub", '"a%%ub"'),
        ("two words", '"two words"'),
        ('a"b`c$d\\e', '"a\\"b\\`c\\$d\\\\e"'),
    ],
)
def test_arguments_are_quoted_by_the_specification(argument: str, quoted: str) -> None:
    assert quoted_argument(argument) == quoted


def test_a_hostile_name_adds_no_lines_to_an_entry(tmp_path: Path) -> None:
    entry = DesktopEntry(HOSTILE, f"Play {HOSTILE}", ["client", "launch", HOSTILE[10:24]], icon="/a\nb")
    (tmp_path / "a.desktop").write_text(entry.text())

    text = validated(tmp_path / "a.desktop")

    assert [line.partition("=")[0] for line in text.splitlines()[1:]] == [
        *("Type", "Version", "Name", "Comment", "Exec", "Icon", "Terminal", "Categories")
    ]
    assert r'Exec=client launch "rm -rf ~ %%u \\"\\$"' + "\n" in text


def test_shortcuts_are_added_found_and_removed(tmp_path: Path) -> None:
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config" / "user-dirs.dirs").write_text('# x\nXDG_DESKTOP_DIR="$HOME/Schreibtisch"\n')
    here, target = shortcuts(tmp_path), ShortcutTarget("Doom", tmp_path / "games" / "Doom 100%")

    menu, desktop = (here.add(target, place) for place in ShortcutPlace)
    places = here.places(target)
    text, mode = validated(menu), desktop.stat().st_mode & 0o777
    removed = here.remove(target)

    assert (menu.parent, desktop.parent) == (tmp_path / ".local/share/applications", tmp_path / "Schreibtisch")
    assert places == list(ShortcutPlace)
    assert mode == 0o755
    assert f'Exec="/opt/play dock/client" launch "{tmp_path}/games/Doom 100%%"\n' in text
    assert removed == [menu, desktop]
    assert here.places(target) == []


def test_the_desktop_has_a_default_and_the_clients_own_folder_is_passed_on(tmp_path: Path) -> None:
    target = ShortcutTarget("Doom", tmp_path / "Doom")
    file = shortcuts(tmp_path, PLAYDOCK_CLIENT_HOME="/srv/x").add(target, ShortcutPlace.MENU)

    assert linux_desktop({"HOME": "/home/ada"}) == Path("/home/ada/Desktop")
    assert 'Exec=/usr/bin/env PLAYDOCK_CLIENT_HOME=/srv/x "/opt' in file.read_text()
    with pytest.raises(CannotMakeShortcut):
        shortcuts(tmp_path).add(ShortcutTarget("Doom", tmp_path / "a\nb"), ShortcutPlace.MENU)
    with pytest.raises(CannotMakeShortcut):
        GameShortcuts(Machine("macOS"), ClientFolders(tmp_path, tmp_path), {}).add(target, ShortcutPlace.MENU)


@pytest.mark.skipif(sys.platform != "linux", reason="xdg-mime is a program of Linux.")
def test_the_scheme_is_registered_and_unregistered(tmp_path: Path) -> None:
    register_scheme(LINUX, environment(tmp_path))

    (entry,) = (tmp_path / ".local/share/applications").glob("*.desktop")
    assert 'Exec="/opt/play dock/client" open-url %u\n' in validated(entry)
    if shutil.which("xdg-mime"):
        asked = subprocess.run(
            ["xdg-mime", "query", "default", "x-scheme-handler/playdock"],
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            check=False,
        )
        assert asked.stdout.strip() == entry.name
    unregister_scheme(LINUX, environment(tmp_path))
    assert not entry.exists()
    with pytest.raises(CannotRegister):
        register_scheme(Machine("macOS"), {})


@pytest.mark.parametrize(
    "server", ["https://games.example.org", "http://localhost:3000", "https://[::1]:8443", "https://example.org/games"]
)
def test_a_link_names_a_server_and_a_game(server: str) -> None:
    link = InstallLink(server, GAME)

    assert parse_link(str(link)) == link
    assert parse_link(f"{link}/") == link


@pytest.mark.parametrize(
    "text",
    [
        "",
        "playdock:",
        f"playdock://install/{GAME}",
        f"playdock://remove/https%3A%2F%2Fa.example/{GAME}",
        f"PLAYDOCK://install/https%3A%2F%2Fa.example/{GAME}",
        f"playdock://install/https://a.example/{GAME}",
        f"playdock://install/a.example/{GAME}",
        f"playdock://install/https%3A%2F%2Fa.example%2F/{GAME}",
        f"playdock://install/https%3A%2F%2Fada%40a.example/{GAME}",
        f"playdock://install/https%3A%2F%2Fa.example%3Fx/{GAME}",
        f"playdock://install/file%3A%2F%2F%2Fetc/{GAME}",
        f"playdock://install/https%3A%2F%2Fa.example%FF/{GAME}",
        f"playdock://install/https%3A%2F%2F{'a' * 3000}/{GAME}",
        "playdock://install/https%3A%2F%2Fa.example/../../x",
        f"playdock://install/https%3A%2F%2Fa.example/{GAME}?x",
        f"playdock://install/https%3A%2F%2Fa.example/{GAME}\n",
        f"playdock://install/https%3A%2F%2Fa.example/{GAME.upper()}",
    ],
)
def test_other_links_are_refused(text: str) -> None:
    with pytest.raises(InvalidLink):
        parse_link(text)
