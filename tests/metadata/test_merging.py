"""Results of several providers that are the same game."""

import pytest

from playdock.metadata.merging import groups_of
from playdock.metadata.providers import Match, Reference
from playdock.metadata.ranking import parts_of


def match(source: str, name: str, year: int = 0, **ids: str) -> Match:
    return Match(Reference(source, f"{source}-{name}-{year}", name), source, 1.0, year=year, external_ids=ids)


@pytest.mark.parametrize(
    ("matches", "groups"),
    [
        # The same name and year, or a name that only one game has
        ([match("Steam", "Doom", 2016), match("IGDB", "DOOM", 2016)], [0, 0]),
        ([match("Steam", "Hades"), match("IGDB", "Hades", 2020), match("PCGamingWiki", "Hades")], [0, 0, 0]),
        # Games with one name
        ([match("IGDB", "Doom", 1993), match("Steam", "Doom", 2016)], [0, 1]),
        ([match("Steam", "Doom"), match("IGDB", "Doom", 1993), match("IGDB", "Doom", 2016)], [0, 1, 2]),
        ([match("IGDB", "Doom", 1993), match("IGDB", "Doom", 2016), match("GiantBomb", "Doom", 2016)], [0, 1, 1]),
        # Other names, and one provider's own duplicates
        ([match("Steam", "Doom"), match("IGDB", "Doom II")], [0, 1]),
        ([match("Steam", "Doom", 2016), match("Steam", "Doom", 2016)], [0, 1]),
        # Ids at other providers
        (
            [
                match("IGDB", "Half-Life: Source", 2004),
                match("PCGamingWiki", "HL Source", IGDB="IGDB-Half-Life: Source-2004"),
            ],
            [0, 0],
        ),
        ([match("IGDB", "One", GOG="7"), match("PCGamingWiki", "Two", GOG="7")], [0, 0]),
        ([], []),
    ],
)
def test_matches_are_grouped(matches: list[Match], groups: list[int]) -> None:
    assert groups_of(matches) == groups


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("Hollow Knigt", ["hollow", "knigt"]),
        ("The Wicher 3", ["wich", "wicher"]),
        ("Balders Gate 2", ["balders", "gate"]),
        ("Terraia", ["terr"]),
        ("Doom", ["doom"]),
        ("X", []),
        ("2077", []),
    ],
)
def test_parts_of_a_query(query: str, parts: list[str]) -> None:
    assert parts_of(query) == parts
