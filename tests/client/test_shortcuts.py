"""Shortcuts of games, the scheme of links, and the links themselves."""

import plistlib
import shlex
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
LINUX, MACOS = Machine("Linux"), Machine("macOS")
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


def test_shortcuts_of_macos_are_bundles_that_run_the_launcher(tmp_path: Path) -> None:
    calls, name = tmp_path / "calls", "Doom & 'Quake' \x1b"
    client = tmp_path / "play dock"
    client.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{calls}\n')
    client.chmod(0o755)
    own = environment(tmp_path, PLAYDOCK_CLIENT_PROGRAM=str(client))
    here = GameShortcuts(MACOS, ClientFolders(tmp_path, tmp_path), own)
    target = ShortcutTarget(name, tmp_path / "it's $HOME")

    menu, desktop = (here.add(target, place) for place in ShortcutPlace)
    again = here.add(target, ShortcutPlace.MENU)
    info = plistlib.loads((menu / "Contents/Info.plist").read_bytes())
    subprocess.run([menu / "Contents/MacOS" / info["CFBundleExecutable"]], check=True)
    places = here.places(target)
    removed = here.remove(target)

    assert (menu.parent, desktop.parent) == (tmp_path / "Applications/Playdock", tmp_path / "Desktop")
    assert (menu.suffix, again, places) == (".app", menu, list(ShortcutPlace))
    assert info["CFBundleIdentifier"] == f"playdock.game.{target.key}"
    assert (info["CFBundleName"], info["CFBundlePackageType"]) == ("Doom & 'Quake' \ufffd", "APPL")
    assert (info["LSUIElement"], info["LSArchitecturePriority"][0]) == (True, "arm64")
    assert calls.read_text() == f"launch\n{target.folder}\n"
    assert (removed, here.places(target)) == ([menu, desktop], [])
    assert [path for folder in (menu.parent, desktop.parent) for path in folder.iterdir()] == []


# A stand-in for macOS' compiler: an applet with the script in it instead of what it compiles to.
_COMPILER = """#!/bin/sh
mkdir -p "$2/Contents/MacOS" && cp "$3" "$2/Contents/MacOS/applet" && cat >"$2/Contents/Info.plist" <<END
<plist version="1.0"><dict><key>CFBundleExecutable</key><string>applet</string></dict></plist>
END
"""


def test_links_open_an_applet_on_macos(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for program, content in {
        "osacompile": _COMPILER,
        "codesign": f'#!/bin/sh\necho "$@" >>{tmp_path}/signed\n',
    }.items():
        (programs / program).write_text(content)
        (programs / program).chmod(0o755)
    here = environment(tmp_path, PATH=f"{programs}:/usr/bin:/bin", PLAYDOCK_CLIENT_PROGRAM='/opt/play "dock"\\client')

    register_scheme(MACOS, here)
    register_scheme(MACOS, here)

    applet = tmp_path / "Applications/Playdock.app"
    info = plistlib.loads((applet / "Contents/Info.plist").read_bytes())
    script = (applet / "Contents/MacOS/applet").read_text()
    assert [each["CFBundleURLSchemes"] for each in info["CFBundleURLTypes"]] == [["playdock"]]
    assert (info["CFBundleExecutable"], info["CFBundleName"], info["LSUIElement"]) == ("applet", "Playdock", True)
    assert (tmp_path / "signed").read_text().count("--force --sign -") == 1
    # As AppleScript and the shell read it.
    quoted = shlex.join([here["PLAYDOCK_CLIENT_PROGRAM"]]).replace("\\", "\\\\").replace('"', '\\"')
    assert f'do shell script "{quoted} app >/dev/null 2>&1 &"\n' in script
    assert f'do shell script "{quoted} open-url " & quoted form of link & " >/dev/null 2>&1 &"\n' in script
    unregister_scheme(MACOS, here)
    assert list(applet.parent.iterdir()) == []


def test_without_its_compiler_macos_opens_no_links(tmp_path: Path) -> None:
    failing = tmp_path / "osacompile"
    failing.write_text("#!/bin/sh\nexit 1\n")
    failing.chmod(0o755)
    with pytest.raises(CannotRegister, match="osacompile failed"):
        register_scheme(MACOS, environment(tmp_path, PATH=str(tmp_path)))
    unregister_scheme(MACOS, environment(tmp_path))


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
