"""The files of stores: what is read from real forms of them, and that nonsense is ignored."""

import json
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock_client.stores import epic_files, gog_files, steam_files
from playdock_client.stores.copy_protection import Protection, assess, has_steam_wrapper, library_of
from playdock_client.stores.found_game import FoundGame, Store

LIBRARIES = """"libraryfolders"
{
	"0"
	{
		"path"		"/home/ada/.local/share/Steam"
		"label"		""
		"contentid"		"3814857164538712583"
		"totalsize"		"0"
		"apps"
		{
			"620"		"13128468431"
		}
	}
	"1"
	{
		"path"		"D:\\\\SteamLibrary"
	}
}
"""
OLD_LIBRARIES = """"LibraryFolders"
{
	"TimeNextStatsReport"		"1610000000"
	"ContentStatsID"		"-1234"
	"1"		"D:\\\\Games"
}
"""
MANIFEST = """"AppState"
{
	"appid"		"620"
	"universe"		"1"
	"name"		"Portal 2"
	"StateFlags"		"4"
	"installdir"		"Portal 2"
	"LastUpdated"		"1731421122"
	"SizeOnDisk"		"13128468431"
	"buildid"		"16224343"
	"InstalledDepots"
	{
		"621" { "manifest" "2163472183" "size" "12" }
	}
	"UserConfig" { "language" "english" "name" "other" }
}
"""
GOG_INFO = {
    "buildId": "56412345678901234",
    "clientId": "49999999",
    "gameId": "1207658930",
    "language": "English",
    "name": "The Witcher 2: Assassins of Kings",
    "playTasks": [{"category": "game", "isPrimary": True, "path": "bin\\witcher2.exe", "type": "FileTask"}],
    "rootGameId": "1207658930",
    "version": 1,
}
GAMEINFO = "Stardew Valley\n1.5.6.39175\n1.5.6\nen-US\n1453375253\n1453375253\n"
ITEM = {
    "FormatVersion": 0,
    "bIsIncompleteInstall": False,
    "LaunchExecutable": "Hades.exe",
    "DisplayName": "Hades",
    "InstallLocation": "/games/Hades",
    "InstallSize": 15032385536,
    "OwnershipToken": "false",
    "CatalogNamespace": "min",
    "CatalogItemId": "fb39bac8278a4126989f0fe12e7353af",
    "AppName": "Min",
    "AppVersionString": "1.38290-Windows",
    "MainGameAppName": "Min",
}
INSTALLED = {
    "Min": {
        "app_name": "Min",
        "install_path": "/games/Hades",
        "title": "Hades",
        "version": "1.38290-Windows",
        "is_dlc": False,
        "requires_ot": True,
        "needs_verification": False,
    },
    "Broken": {"app_name": 7},
    "Extra": {"app_name": "Extra", "install_path": "/games/Hades", "is_dlc": True},
}
HADES = FoundGame("Hades", Path("/games/Hades"), Store.EPIC, "Min", "1.38290-Windows")


def program(*sections: bytes) -> bytes:
    """The headers of a Windows program."""
    stub = b"MZ" + bytes(58) + struct.pack("<I", 0x80)
    header = b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, len(sections), 0, 0, 0, 240, 0x22)
    table = b"".join(name.ljust(8, b"\0") + bytes(32) for name in sections)
    return stub.ljust(0x80, b"\0") + header + bytes(240) + table


def test_steam_lists_its_libraries_in_two_forms() -> None:
    assert steam_files.steam_libraries(LIBRARIES) == ["/home/ada/.local/share/Steam", r"D:\SteamLibrary"]
    assert steam_files.steam_libraries(OLD_LIBRARIES) == [r"D:\Games"]


def test_a_manifest_of_steam_names_its_game() -> None:
    game = steam_files.steam_game(MANIFEST, Path("/steam"))

    folder = Path("/steam/steamapps/common/Portal 2")
    assert game == FoundGame("Portal 2", folder, Store.STEAM, "620", "build 16224343")
    assert game.tagged_name == "Portal 2 (steam-620)"


@pytest.mark.parametrize(
    "change",
    [
        ('"Portal 2"\n	"StateFlags"', '"Proton 9.0"\n	"StateFlags"'),
        ('"620"', '"-1"'),
        ('dir"		"', 'dir"		"../'),
    ],
)
def test_tools_and_nonsense_are_no_games_of_steam(change: tuple[str, str]) -> None:
    changed = MANIFEST.replace(*change)

    assert changed != MANIFEST
    assert steam_files.steam_game(changed, Path("/steam")) is None


def test_a_game_that_steam_is_updating_has_a_problem() -> None:
    game = steam_files.steam_game(MANIFEST.replace('"4"', '"1026"'), Path("/steam"))

    assert game is not None
    assert game.problem


def test_gog_names_its_games_in_three_files() -> None:
    folder = Path("/games/x")
    heroic = {
        "installed": [{"appName": "1453375253", "install_path": "/games/x", "version": "1.5", "is_dlc": False}, 3]
    }

    assert gog_files.windows_game(json.dumps(GOG_INFO).encode(), folder) == FoundGame(
        "The Witcher 2: Assassins of Kings", folder, Store.GOG, "1207658930", "build 56412345678901234"
    )
    assert gog_files.windows_game(json.dumps({**GOG_INFO, "gameId": "1207658999"}).encode(), folder) is None
    assert gog_files.linux_game(GAMEINFO, folder) == FoundGame(
        "Stardew Valley", folder, Store.GOG, "1453375253", "1.5.6.39175"
    )
    assert gog_files.heroic_games(json.dumps(heroic).encode()) == {
        folder: FoundGame("x", folder, Store.GOG, "1453375253", "1.5")
    }


def test_epic_games_are_named_by_the_launcher_and_by_legendary() -> None:
    item = json.dumps(ITEM).encode()
    [legendary] = epic_files.legendary_games(json.dumps(INSTALLED).encode())
    addon = json.dumps({**ITEM, "AppName": "Extra"}).encode()
    incomplete = epic_files.launcher_game(json.dumps({**ITEM, "bIsIncompleteInstall": True}).encode())

    assert epic_files.launcher_game(item) == HADES
    assert (legendary.id, legendary.needs_store) == ("Min", True)
    assert epic_files.launcher_game(addon) is None
    assert incomplete is not None
    assert incomplete.problem


@given(st.text() | st.text(alphabet='"{}\\/ \nab0'), st.binary())
def test_nonsense_is_ignored(text: str, data: bytes) -> None:
    folder = Path("/x")
    for wrapped in (text, f'"libraryfolders" {{ {text}', f'"AppState" {{ {text}'):
        steam_files.steam_libraries(wrapped)
        steam_files.steam_game(wrapped, folder)
    gog_files.linux_game(text, folder)
    has_steam_wrapper(b"MZ" + data)
    for each in (data, text.encode(errors="replace"), b"[" * 100_000, b'{"installed": [[]], "a": 1}'):
        assert gog_files.windows_game(each, folder) is None
        assert gog_files.heroic_games(each) == {}
        assert epic_files.launcher_game(each) is None
        assert list(epic_files.legendary_games(each)) == []


def test_only_the_section_of_steams_wrapper_and_the_ownership_token_are_proof() -> None:
    steam = FoundGame("Portal 2", Path("/x"), Store.STEAM, "620")
    gog = FoundGame("Gwent", Path("/x"), Store.GOG, "1")

    assert has_steam_wrapper(program(b".text", b".bind"))
    assert not has_steam_wrapper(program(b".text", b".data"))
    assert not has_steam_wrapper(program(b".bind")[:-40])
    assert [library_of(name) for name in ("steam_api64.dll", "libsteam_api.so", "steam_api.txt")] == [
        "Steam",
        "Steam",
        None,
    ]
    assert assess(steam, wrapped="a.exe", libraries=()).protection is Protection.CERTAIN
    assert assess(steam, wrapped="", libraries={"Steam"}).protection is Protection.POSSIBLE
    assert assess(steam, wrapped="", libraries=()).protection is Protection.NONE_FOUND
    assert assess(gog, wrapped="", libraries={"Steam"}).protection is Protection.NONE_FOUND
    epic = epic_files.legendary_games(json.dumps(INSTALLED).encode())[0]
    assert assess(epic, wrapped="", libraries=()).protection is Protection.CERTAIN
