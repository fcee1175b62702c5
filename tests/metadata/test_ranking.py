"""The ranking of search results."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.metadata.ranking import rank, similarity

_titles = st.text(max_size=40) | st.lists(
    st.sampled_from(["Doom", "II", "2", "Demo", "The", "é", "&", "-", ":", "Soundtrack", "(1993)"]), max_size=6
).map(" ".join)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Half-Life 2", "Half Life II"),
        ("doom", "DOOM"),
        ("Pokemon", "Pokémon"),
        ("Baldurs Gate", "Baldur's Gate"),
        ("Ori and the Blind Forest", "Ori & The Blind Forest"),
        ("SuperTuxKart", "Super Tux Kart"),
        ("ＦＴＬ", "FTL"),  # noqa: RUF001 - full-width characters, as in Japanese names
        ("1942", "1942"),
        ("日本", "日本"),
        ("Linux", "linux"),
        ("!!!", "!!!"),
    ],
)
def test_different_spellings_of_a_title_are_equal(query: str, name: str) -> None:
    assert similarity(query, name) == similarity(name, query) == rank(query, name) == 1


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Doom", ["Doom", "Doom II", "Doom 3: BFG Edition", "Quake"]),
        ("Doom II", ["Doom 2", "Doom II: Hell on Earth", "Doom", "Quake II"]),
        ("Baldur's Gate 3", ["Baldur's Gate III", "Baldur's Gate II"]),
        ("Civilization VI", ["Sid Meier's Civilization VI", "Sid Meier's Civilization V"]),
        ("Civilization V", ["Sid Meier's Civilization V", "Sid Meier's Civilization II"]),
        ("Age of Empires 2", ["Age of Empires II: Definitive Edition", "Age of Empires III"]),
        ("Stardew Valey", ["Stardew Valley", "Stardew Valley Soundtrack"]),
        ("Hollow Knight", ["Hollow Knight", "Hollow Knight: Silksong", "Hollow"]),
        ("FTL", ["FTL", "FTL: Faster Than Light", "Faster Than Light"]),
        ("The Witcher 3", ["The Witcher 3: Wild Hunt", "The Witcher 2: Assassins of Kings"]),
        ("witcher wild hunt", ["The Witcher 3: Wild Hunt", "The Witcher"]),
        ("Battle for Wesnoth", ["The Battle for Wesnoth", "The Battle of Wesnoth", "Wesnoth"]),
    ],
)
def test_the_more_similar_title_ranks_first(query: str, names: list[str]) -> None:
    assert sorted(names, key=lambda name: rank(query, name), reverse=True) == names


@pytest.mark.parametrize(
    "extra", ["Portal Demo", "Portal Soundtrack", "Portal - OST", "PORTAL: Prologue", "Portal (Beta)", "Portal Artbook"]
)
def test_extras_rank_last(extra: str) -> None:
    assert rank("Portal", extra) < rank("Portal", "Portal", on_pc=False)
    assert rank("Portal", extra) < rank("Portal", "Portal Stories: Mel")


@pytest.mark.parametrize("name", ["DLC Quest", "Beta Decay", "Demo Disk Turbo", "Prologue"])
def test_an_extra_that_the_query_names_is_not_ranked_down(name: str) -> None:
    assert rank(name, name) == 1


def test_an_extra_according_to_the_provider_is_one_regardless_of_its_name() -> None:
    assert rank("Portal", "Portal", extra=True) < rank("Portal", "Portal", on_pc=False) < rank("Portal", "Portal")


@given(_titles, _titles, st.booleans(), st.booleans())
def test_ranks_are_between_0_and_1(query: str, name: str, on_pc: bool, extra: bool) -> None:  # noqa: FBT001
    assert 0 <= rank(query, name, on_pc=on_pc, extra=extra) <= similarity(query, name) <= 1


@given(_titles.filter(str.strip))
def test_every_title_equals_itself(title: str) -> None:
    assert similarity(title, title) == similarity(title.upper(), title.upper()) == 1


@given(_titles, _titles)
def test_games_for_other_platforms_rank_between_pc_games_and_extras(query: str, name: str) -> None:
    assert rank(query, name, extra=True) <= rank(query, name, on_pc=False) <= max(rank(query, name), 0.1)
