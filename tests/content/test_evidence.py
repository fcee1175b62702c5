"""Clues in the files and names of a game's folder."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.evidence import (
    MAX_FILES,
    Clue,
    ClueKind,
    clue_files,
    clues_in,
    distinct,
    folder_name,
    tags,
    top_names,
)
from playdock.content.evidence import version_resource as resource

MANIFEST = """
"AppState"
{
	"appid"		"220"
	"Universe"		"1"
	"name"		"Half-Life 2: \\"Lost\\" Coast"
	"installdir"		"Half-Life 2"
	"UserConfig"
	{
		"name"		"somebody"
	}
}
"""
GOG = {"buildId": "1", "gameId": "1207658924", "rootGameId": "1207658924", "name": "Unreal Tournament", "playTasks": []}
EPIC = {"FormatVersion": 0, "AppName": "Sugar", "CatalogItemId": "9773aa", "CatalogNamespace": "sugar"}
ITEM = {"bIsApplication": True, "AppName": "Sugar", "MainGameAppName": "Sugar", "DisplayName": "Rocket League®"}


def clue_lines(path: str, content: str | bytes | Mapping[str, object]) -> list[str]:
    """Return the clues of a file as lines: `Steam 220`, `Steam manifest: Half-Life 2`."""
    text = json.dumps(content) if isinstance(content, Mapping) else content
    return lines(clues_in(path, text.encode() if isinstance(text, str) else text))


def lines(clues: tuple[Clue, ...]) -> list[str]:
    return [f"{clue.source}{':' if clue.kind is ClueKind.NAME else ''} {clue.value}" for clue in clues]


READABLE = {
    "a number": ("steam_appid.txt", "570", ["Steam 570"]),
    "a number on a line": ("bin/steam_appid.txt", "\ufeff 570\r\n# Dota\r\n", ["Steam 570"]),
    "UTF-16": ("Steam_AppID.txt", "570\r\n".encode("utf-16"), ["Steam 570"]),
    "UTF-16 without a mark": ("steam_appid.txt", "570\n".encode("utf-16-le"), ["Steam 570"]),
    "a NUL at the end": ("steam_appid.txt", "570\0", ["Steam 570"]),
    "Steam's example": ("steam_appid.txt", "480", []),
    "words": ("steam_appid.txt", "570th game", []),
    "a manifest": ("appmanifest_220.acf", MANIFEST, ["Steam 220", 'Steam manifest: Half-Life 2: "Lost" Coast']),
    "a manifest without id": ("appmanifest_220.acf", '"name" "Half-Life"', []),
    "GOG's info": ("goggame-1207658924.info", GOG, ["GOG 1207658924", "goggame info: Unreal Tournament"]),
    "an addition's info": ("goggame-12.info", {**GOG, "gameId": "12", "name": "Pack"}, ["GOG 1207658924"]),
    "an old info": ("goggame-12.info", {"gameId": "12", "name": "Zork"}, ["GOG 12", "goggame info: Zork"]),
    "Epic's marker": (".egstore/9A.mancpn", EPIC, ["Epic Sugar"]),
    "Epic's manifest": (".egstore/9A.item", ITEM, ["Epic Sugar", "Epic manifest: Rocket League"]),
    "an addition's manifest": (".egstore/9A.item", {**ITEM, "AppName": "Car", "DisplayName": "Car"}, ["Epic Sugar"]),
    "Unity's info": ("hk_Data/app.info", "Team Cherry\nHollow Knight", ["Unity app.info: Hollow Knight"]),
    "Unity's own name": ("x_Data/app.info", "DefaultCompany\nNew Unity Project", []),
    "no product": ("x_Data/app.info", "Team Cherry", []),
    "an old code page": ("x_Data/app.info", "A\nPokémon".encode("cp1252"), ["Unity app.info: Pokémon"]),
    "a name too long": ("x_Data/app.info", "A\n" + "B" * 500, []),
    "broken JSON": ("goggame-12.info", '{"gameId": "12", "name"', []),
    "JSON of another kind": ("goggame-12.info", "[]", []),
    "nested JSON": ("goggame-12.info", '{"gameId": "12", "playTasks": ' + "[" * 60_000, []),
    "an id that is none": ("goggame-12.info", {"gameId": "' OR 1=1", "name": "Zork"}, []),
    "a number as id": ("goggame-12.info", '{"gameId": ' + "1" * 5000 + "}", []),
    "another file": ("readme.txt", "570", []),
}


@pytest.mark.parametrize(("path", "content", "expected"), READABLE.values(), ids=[*READABLE])
def test_a_file_identifies_its_game(path: str, content: str | bytes, expected: list[str]) -> None:
    assert clue_lines(path, content) == expected


def test_the_detail_of_a_clue_is_the_company_or_the_file() -> None:
    assert clues_in("x_Data/app.info", b"Team Cherry\nHollow Knight")[0].detail == "Team Cherry"
    assert clues_in("bin/steam_appid.txt", b"570")[0].detail == "bin/steam_appid.txt"


NAMES = (
    "steam_appid.txt",
    "appmanifest_1.acf",
    "goggame-1.info",
    ".egstore/1.mancpn",
    ".egstore/1.item",
    "x_Data/app.info",
)
FRAGMENTS = st.sampled_from(
    [b'"name"', b'"appid"', b"\t", b" ", b"\n", b"\\", b'"', b"{", b"[", b"\0", b"\xff\xfe", b"1", b":"]
)


@given(st.sampled_from(NAMES), st.one_of(st.binary(), st.lists(FRAGMENTS).map(b"".join)))
def test_any_file_content_is_accepted(path: str, data: bytes) -> None:
    assert all(clue.value for clue in clues_in(path, data))


@given(st.text(), st.dictionaries(st.sampled_from(["ProductName", "CompanyName", "FileDescription"]), st.text()))
def test_any_name_is_accepted(name: str, strings: dict[str, str]) -> None:
    assert all(
        clue.value for clue in (*tags(name), *folder_name(name), *top_names([name]), *resource("x.exe", strings))
    )


@pytest.mark.parametrize("piece", [b" ", b"\n", b'"', b'\\"', b'"name" "', b'"name"\t', b"\r", b"[", b'{"gameId":'])
def test_repetitive_files_yield_no_clues_in_reasonable_time(piece: bytes) -> None:
    assert [clue for path in NAMES[:-1] for clue in clues_in(path, piece * 60_000)] == []


RESOURCES = {
    "a product": ({"ProductName": "Portal ", "FileDescription": "hl2"}, "Portal"),
    "a set-up": ({"ProductName": "Stardew Valley   ", "FileDescription": "Stardew Valley Setup"}, "Stardew Valley"),
    "an installer": ({"ProductName": "Stardew Valley Setup"}, "Stardew Valley"),
    "an engine": ({"ProductName": "Unreal Engine 4", "FileDescription": "Fortnite"}, "Fortnite"),
    "an engine's starter": ({"ProductName": "UnrealEngine", "FileDescription": "BootstrapPackagedGame"}, None),
    "an installer's own": ({"ProductName": "Wise Installation Wizard", "FileDescription": "Setup Launcher"}, None),
    "a placeholder": ({"ProductName": "TODO: <Product name>"}, None),
    "signs": ({"ProductName": "???", "FileDescription": "\u202e"}, None),
    "nothing": ({}, None),
}


@pytest.mark.parametrize(("strings", "expected"), RESOURCES.values(), ids=[*RESOURCES])
def test_a_version_resource_names_the_product(strings: dict[str, str], expected: str | None) -> None:
    assert [clue.value for clue in resource("x.exe", strings)] == ([expected] if expected else [])


def test_a_version_resource_names_the_company() -> None:
    strings = {"ProductName": "Portal", "CompanyName": "Valve™"}

    assert [clue.detail for clue in resource("hl2.exe", strings)] == ["Valve"]
    assert [clue.detail for clue in resource("hl2.exe", {**strings, "CompanyName": "?"})] == ["hl2.exe"]


TAGGED = {
    "Dota 2 (steam-570)": ["Steam 570"],
    "Portal [IGDB-71] {pcgw-1234}": ["IGDB 71", "PCGamingWiki 1234"],
    "Zork (GOG-1207658924)": ["GOG 1207658924"],
    "Rocket League (epic-Sugar)": ["Epic Sugar"],
    "Myst (giantbomb-3030-1234) (pcgamingwiki-9)": ["GiantBomb 3030-1234", "PCGamingWiki 9"],
    "Portal (steam-latest)": [],
    "Portal (2007) [GOG]": [],
    "Portal steam-400": [],
}


@pytest.mark.parametrize(("name", "expected"), TAGGED.items(), ids=[*TAGGED])
def test_ids_in_names_are_recognized(name: str, expected: list[str]) -> None:
    assert lines(tags(name)) == expected


TOPS = {
    "setup_hollow_knight_1.5.78.11833_(64bit)_(54321).exe": ["installer name: hollow knight"],
    "setup_the_witcher_3_goty_1.32_(a)_(9709).exe": ["installer name: the witcher 3 goty"],
    "setup_fallout_2.exe": ["installer name: fallout 2"],
    "setup_zork_(123).exe": ["installer name: zork"],
    "setup_hollow_knight_1.5-1.bin": [],
    "tools/setup_directx_9.0.exe": [],
    "setup.exe": [],
    "Portal (steam-400)/hl2.exe": ["Steam 400"],
}


@pytest.mark.parametrize(("path", "expected"), TOPS.items(), ids=[*TOPS])
def test_names_at_the_top_level_yield_clues(path: str, expected: list[str]) -> None:
    assert lines(top_names([path])) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Half-Life.2.v1.0.GOG", ["Half-Life 2"]), ("Portal (steam-400)", ["Portal"]), ("(steam-400)", []), ("Games", [])],
)
def test_the_name_of_a_folder_is_a_title(name: str, expected: list[str]) -> None:
    assert [clue.value for clue in folder_name(name)] == expected


def test_a_limited_number_of_files_is_read_topmost_first() -> None:
    deep = [f"{'a/' * depth}steam_appid.txt" for depth in range(20)]
    many = [f"a/goggame-{number}.info" for number in range(1000)]

    paths = clue_files([*many, *deep, "app.info", "x/readme.txt", "egstore/x.mancpn"])

    assert (paths[0], len(paths)) == ("steam_appid.txt", MAX_FILES)
    assert clue_files(deep) == deep[:7]


def test_equal_clues_from_one_source_count_once() -> None:
    first, second = (Clue(ClueKind.ID, "Steam", "570", detail) for detail in ("a", "b"))

    assert distinct([first, second]) == (first,)


def test_the_number_of_clues_is_limited() -> None:
    assert len(distinct(Clue(ClueKind.ID, "Steam", str(number)) for number in range(1000))) == 50
