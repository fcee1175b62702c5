import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.naming import Name, similarity, title, version_key, words

RISING = [
    ["1.9", "1.10", "1.10.1", "2"],
    ["v1.9", "1.10", "v2"],
    ["1.0-dev", "1.0-alpha", "1.0-alpha2", "1.0-beta", "1.0 beta 2", "1.0-beta10", "1.0-rc1", "1.0", "1.0a", "1.0.1"],
    ["1.0a1", "1.0b1", "1.0rc1", "1.0", "1.0b"],
    ["2023-12-31", "20240105", "2024-01-06", "20241101"],
    ["2023.12", "2024.2", "2024.10"],
    ["build 99", "Build 100", "build_101"],
    ["linux-1.9", "windows-1.10", "linux-1.11"],
    ["Game 1.9 win64", "Game 1.10 win32", "Game 1.11 linux-x86_64"],
    ["1", "1.0", "1.0 patch 2", "1.0.1"],
    ["007", "8"],
]


@pytest.mark.parametrize("ascending", RISING, ids=lambda case: case[0])
def test_versions_sort_naturally(ascending: list[str]) -> None:
    shuffled = random.Random(4).sample(ascending, len(ascending))

    assert sorted(shuffled, key=version_key) == ascending


@given(st.text(max_size=30), st.text(max_size=30))
def test_only_equal_names_have_equal_keys(one: str, other: str) -> None:
    assert (version_key(one) == version_key(other)) == (one == other)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=4), st.lists(st.integers(0, 10**9), min_size=1, max_size=4))
def test_dotted_numbers_sort_as_numbers(one: list[int], other: list[int]) -> None:
    def key(numbers: list[int]) -> object:
        return version_key(".".join(map(str, numbers)))[0]

    assert (key(one) < key(other)) == (one < other)  # type: ignore[operator]


TITLES = {
    "Half-Life.2.v1.0.GOG": "Half-Life 2",
    "Half-Life 2 (2004)": "Half-Life 2",
    "Half-Life 2 [GOG] {x}": "Half-Life 2",
    "half_life_2": "half life 2",
    "supertuxkart-1.4": "supertuxkart",
    "openttd_13.0": "openttd",
    "wesnoth-1.16.9-linux-x86_64": "wesnoth",
    "Celeste_1.4.0.0-win64.zip": "Celeste",
    "Stardew.Valley.v1.5.6.1988831614.GOG": "Stardew Valley",
    "The Witcher 3 - Wild Hunt (GOG) [v1.32]": "The Witcher 3 - Wild Hunt",
    "Witcher 3, The": "The Witcher 3",
    "setup_baldurs_gate_2.1.0.7": "baldurs gate",
    "need-for-speed-underground": "need for speed underground",
    "frozen-bubble": "frozen-bubble",
    "X-COM": "X-COM",
    "S.T.A.L.K.E.R.Clear.Sky.v1.5": "S.T.A.L.K.E.R. Clear Sky",
    "F.E.A.R.": "F.E.A.R.",
    "Worms W.M.D": "Worms W.M.D",
    "A.Hat.in.Time": "A Hat in Time",
    "Dr. Mario": "Dr. Mario",
    "Super Metroid (USA) (En,Fr)": "Super Metroid",
    "Game (Remastered)": "Game (Remastered)",
    "teeworlds-0.7.5-linux_x86_64 (FINAL) [GOG]": "teeworlds",
    "Game (Final Cut)": "Game (Final Cut)",
    "Hades (v1.38290) (Windows)": "Hades",
    "Half-Life 2 (steam-220)": "Half-Life 2",
    "Half-Life.2.(Steam-220).v1.0": "Half-Life 2",
    "Doom_[igdb-7351]_(gog-1440164514).zip": "Doom",
    "Celeste{pcgw-1}": "Celeste",
    "(steam-570)": "(steam-570)",
    "Doom.Build.1234": "Doom",
    "Factorio 0.17 alpha": "Factorio",
    "Alpha Centauri": "Alpha Centauri",
    "FIFA 2004": "FIFA 2004",
    "Left 4 Dead 2": "Left 4 Dead 2",
    "Cyberpunk 2077 v2.1": "Cyberpunk 2077",
    "1.0": "1.0",
    "[GOG]": "[GOG]",
    "Portal": "Portal",
    "": "",
}


@pytest.mark.parametrize(("folder", "expected"), TITLES.items(), ids=[*TITLES])
def test_a_title_is_derived_from_a_folder_name(folder: str, expected: str) -> None:
    assert title(folder) == expected


@given(st.text(max_size=40))
def test_a_title_is_empty_only_for_an_empty_name(folder: str) -> None:
    assert bool(title(folder)) == bool(folder.strip())


@given(st.text(alphabet="aB1. _-()[]v", max_size=200))
def test_a_title_has_no_surrounding_spaces(folder: str) -> None:
    assert title(folder) == title(folder).strip()


WORDS = {
    "SuperTuxKart": "super tux kart",
    "Game-Win64-Shipping": "game",
    "hl2_linux": "hl 2",
    "Pokémon": "pokemon",
    "Baldur's Gate II": "baldurs gate 2",
    "Sam & Max": "sam and max",
    "Command™ ®©": "command",
    "wesnoth-1.16": "wesnoth",
    "Baba Is You.x86_64": "baba is you",
    "windows": "",
}


@pytest.mark.parametrize(("text", "expected"), WORDS.items(), ids=[*WORDS])
def test_a_name_is_split_into_words(text: str, expected: str) -> None:
    assert " ".join(words(text)) == expected


def name_similarity(short: str, full: str) -> float:
    return similarity(Name.of(words(short)), Name.of(words(full)))


FALLING = [
    ("SuperTuxKart", ["supertuxkart", "supertux", "stk", "xmoto"]),
    ("Half-Life 2", ["HalfLife2", "hl2", "portal"]),
    ("The Battle for Wesnoth", ["battle-for-wesnoth", "wesnoth", "wmlxgettext"]),
    ("The Elder Scrolls V: Skyrim", ["Skyrim", "TESV", "nvtt"]),
    ("Heroes of Might and Magic III", ["homm3", "heroes3", "mapedit"]),
]


@pytest.mark.parametrize(("game", "descending"), FALLING, ids=[game for game, _ in FALLING])
def test_similarity_decreases_from_equal_names_to_unrelated_ones(game: str, descending: list[str]) -> None:
    figures = [name_similarity(name, game) for name in descending]

    assert figures == sorted(figures, reverse=True)
    assert figures[-2] > 0.3 > figures[-1]


@given(st.text(max_size=20), st.text(max_size=20))
def test_similarity_is_between_0_and_1(short: str, full: str) -> None:
    assert 0 <= name_similarity(short, full) <= 1
