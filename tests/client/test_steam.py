"""Games are added to Steam's lists and removed from them, and nothing else in them changes."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import vdf  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from playdock_client.artwork import Artwork, ArtworkRole
from playdock_client.client_folders import ClientFolders
from playdock_client.machine import Machine
from playdock_client.shortcuts.game_shortcuts import ShortcutTarget
from playdock_client.steam.steam_library import SteamLibrary, SteamNotFound, SteamRunning
from playdock_client.steam.vdf import Item, Map, UnknownFormat, read_vdf, write_vdf
from waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="The folders of these tests are Linux's.")

# A list as another program leaves it: with a gap in its numbers, an unknown field, and a name that is not UTF-8.
FOREIGN = write_vdf(
    Map(
        (
            Item(
                "shortcuts",
                Map(
                    (
                        Item("3", Map((Item("AppName", "Quake"), Item("appid", -5), Item("Sortas", "q")))),
                        Item("7", Map((Item("appname", "\udcff"), Item("tags", Map((Item("0", "x"),)))))),
                    )
                ),
            ),
        )
    )
)
# Adds what it is asked to add, like Steam, under an id that it chooses.
STEAM = """#!{python}
import re, sys
from pathlib import Path
from urllib.parse import unquote
sys.path[:0] = {path!r}
from playdock_client.steam.vdf import Item, Map, read_vdf, write_vdf
assert Path("/tmp/addnonsteamgamefile").exists()
entry = Path(unquote(sys.argv[1].removeprefix("steam://addnonsteamgame/"))).read_text()
program, options = re.search('Exec=("[^"]*"|[^ ]*) (.*)', entry).groups()
file = Path({list!r})
games = read_vdf(file.read_bytes()).items[0].value.items
new = Item("9", Map((Item("appid", -77), Item("Exe", program), Item("LaunchOptions", options))))
file.write_bytes(write_vdf(Map((Item("shortcuts", Map((*games, new))),))))
"""
_NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
_CONTENTS = st.recursive(
    st.integers(-(2**31), 2**31 - 1) | _NAMES, lambda inner: st.dictionaries(_NAMES, inner, max_size=4), max_leaves=12
)


def _as_map(content: Any) -> Map:
    return Map(tuple(Item(key, _as_map(each) if isinstance(each, dict) else each) for key, each in content.items()))


@given(st.dictionaries(_NAMES, _CONTENTS, min_size=1, max_size=5))
def test_the_format_is_the_one_of_another_implementation(content: dict[str, Any]) -> None:
    data = vdf.binary_dumps(content)

    assert read_vdf(data) == _as_map(content)
    assert write_vdf(_as_map(content)) == data
    assert vdf.binary_loads(write_vdf(read_vdf(data))) == content


@given(st.binary(max_size=60) | st.lists(st.sampled_from([b"\0", b"\1", b"\2", b"\x08", b"a\0"])).map(b"".join))
def test_what_is_read_is_written_unchanged(data: bytes) -> None:
    try:
        content = read_vdf(data)
    except UnknownFormat:
        return
    assert write_vdf(content) == data


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(UnknownFormat):
        read_vdf(b"\0a\0" * 100_000 + b"\x08" * 100_001)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A player's folder with Steam and two accounts, of which one has games."""
    for account in ("0", "11", "22", "ac"):
        (tmp_path / ".local/share/Steam/userdata" / account / "config").mkdir(parents=True)
    (tmp_path / ".steam").mkdir()
    (tmp_path / ".steam/steam").symlink_to(tmp_path / ".local/share/Steam")
    list_of(tmp_path, "11").write_bytes(FOREIGN)
    return tmp_path


def list_of(home: Path, account: str) -> Path:
    return home / ".local/share/Steam/userdata" / account / "config/shortcuts.vdf"


def library(home: Path, path: str = "/nowhere") -> SteamLibrary:
    environment = {"HOME": str(home), "PATH": path, "PLAYDOCK_CLIENT_PROGRAM": "/opt/play dock/client"}
    return SteamLibrary(Machine("Linux"), ClientFolders(home / "c", home / "c"), environment)


def artwork(home: Path) -> Artwork:
    found = {}
    for role in ArtworkRole:
        found[role] = home / f"{role}.{'jpg' if role is ArtworkRole.COVER else 'png'}"
        found[role].write_text(role)
    return found


def everything(home: Path) -> dict[str, bytes]:
    root = home / ".local/share/Steam"
    return {str(file.relative_to(root)): file.read_bytes() for file in root.rglob("*") if file.is_file()}


@contextmanager
def running_steam(home: Path) -> Iterator[None]:
    sleep = shutil.which("sleep")
    assert sleep
    with subprocess.Popen(["steam", "600"], executable=sleep) as process:
        (home / ".steam/steam.pid").write_text(f"{process.pid}\n")
        # The system shows no arguments for a moment after the program was started.
        wait_until(lambda: Path(f"/proc/{process.pid}/cmdline").read_bytes() != b"")
        try:
            yield
        finally:
            process.kill()


def test_a_game_is_added_for_all_accounts_and_removed_without_a_trace(home: Path) -> None:
    steam, target, before = library(home), ShortcutTarget("Doom", home / "Doom 2"), everything(home)

    accounts = steam.add(target, artwork(home))
    added = everything(home)
    steam.add(ShortcutTarget("Doom II", home / "Doom 2"), artwork(home))
    renewed = vdf.binary_loads(list_of(home, "22").read_bytes())["shortcuts"]
    again = steam.has(target)
    removed = steam.remove(target)

    assert [each.folder.name for each in accounts] == [each.folder.name for each in removed] == ["11", "22"]
    assert again
    assert not steam.has(target)
    assert everything(home) == before
    assert steam.remove(target) == []
    (game,) = renewed.values()
    assert (game["AppName"], game["Exe"]) == ("Doom II", '"/opt/play dock/client"')
    assert game["LaunchOptions"] == f"launch '{home}/Doom 2'"
    pictures = sorted(name.rpartition("/")[2] for name in added if "/grid/" in name and "/22/" in name)
    app_id = game["appid"] & 0xFFFFFFFF
    assert pictures == sorted(f"{app_id}{use}" for use in (".png", "_hero.png", "_icon.png", "_logo.png", "p.jpg"))
    assert added["userdata/11/config/shortcuts.vdf"].startswith(FOREIGN[:-2])


def test_entries_that_are_added_later_are_kept(home: Path) -> None:
    steam, one, other = (
        library(home),
        ShortcutTarget("Doom", home / "Doom"),
        ShortcutTarget("Heretic", home / "Heretic"),
    )
    steam.add(other, {})
    only = everything(home)
    steam.remove(other)

    steam.add(one, {})
    steam.add(other, {})
    steam.remove(one)

    kept = vdf.binary_loads(list_of(home, "11").read_bytes()[: len(only["userdata/11/config/shortcuts.vdf"])])
    assert [game.get("AppName") for game in kept["shortcuts"].values()][-1] == "Heretic"
    assert steam.has(other)


@pytest.mark.parametrize("data", [b"\0shortcuts\0\0000\0\7a\0\x08\x08\x08", FOREIGN[:-1], FOREIGN + b"\x08", b"\x08"])
def test_a_list_that_is_not_understood_is_not_changed(home: Path, data: bytes) -> None:
    list_of(home, "22").write_bytes(data)
    before = everything(home)

    with pytest.raises(UnknownFormat):
        library(home).add(ShortcutTarget("Doom", home / "Doom"), artwork(home))
    assert everything(home) == before


def test_a_running_steam_is_asked_to_add_a_game(home: Path) -> None:
    program = home / "bin/steam"
    program.parent.mkdir()
    program.write_text(STEAM.format(python=sys.executable, path=sys.path, list=str(list_of(home, "11"))))
    program.chmod(0o755)
    steam, target = library(home, f"{program.parent}:/usr/bin:/bin"), ShortcutTarget("Doom", home / "Doom 2")

    with running_steam(home):
        accounts = steam.add(target, artwork(home))
        with pytest.raises(SteamRunning, match="Close Steam"):
            steam.remove(target)
    removed = steam.remove(target)

    assert [each.folder.name for each in accounts] == [each.folder.name for each in removed] == ["11"]
    assert everything(home) == {"userdata/11/config/shortcuts.vdf": FOREIGN}


def test_steam_must_be_there_and_closed_where_it_cannot_be_asked(home: Path, tmp_path: Path) -> None:
    with running_steam(home), pytest.raises(SteamRunning, match="Close Steam"):
        library(home).add(ShortcutTarget("Doom", home / "Doom"), {})
    with pytest.raises(SteamNotFound):
        library(tmp_path / "nobody").add(ShortcutTarget("Doom", home / "Doom"), {})
