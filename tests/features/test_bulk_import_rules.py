"""How sure it is which game a folder is: clues that do not depend on each other add up, and nothing else does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.evidence import Clue, ClueKind, folder_name
from playdock.content.guesses import LaunchGuess
from playdock.content.programs import Platform
from playdock.features.bulk_import.rules import (
    FolderEvidence,
    GameCandidate,
    is_certain,
    program_name,
    score_candidates,
)
from playdock.features.bulk_import.run_rows import version_fault
from playdock.features.version_import.rules import propose
from playdock.kit.messages import Message
from playdock.metadata.providers import Match, Reference

FOLDER = "folder name"


def match(name: str, *, game_id: str = "1", source: str = "Steam", year: int = 0) -> Match:
    return Match(Reference(source, game_id, name), source, 1.0, year=year)


def named(value: str, source: str = FOLDER) -> Clue:
    return Clue(ClueKind.NAME, source, value, "some file")


def game_id(value: str, *, source: str = "Steam", detail: str = "steam_appid.txt") -> Clue:
    return Clue(ClueKind.ID, source, value, detail)


def findings(*clues: Clue, folder: str = "Quake", program: str = "") -> FolderEvidence:
    return FolderEvidence(folder, clues, program)


@pytest.mark.parametrize(
    ("found", "certain"),
    [
        (findings(named("Quake")), False),
        (findings(named("Quake"), program="quake"), True),
        (findings(named("Quake"), named("Quake", "Unity app.info")), True),
        (findings(named("Quake"), named("Quake")), False),
        (findings(game_id("1")), False),
        (findings(game_id("1"), named("Quake")), True),
        (findings(game_id("1", detail="Quake"), folder="Quake"), True),
        (findings(game_id("2"), named("Quake")), False),
        (findings(game_id("1", source="GOG"), named("Quake")), False),
        (findings(named("Quake", "version resource"), program="quake"), False),
        (findings(named("Quake"), named("Quake", "version resource"), program="quake"), True),
        (findings(named("Quake Champions"), program="quakechampions"), False),
        (findings(named("Quake"), program="launcher"), False),
        (findings(named("Quake"), folder="Quake (1996)"), True),
        (findings(named("Quake"), program="quake", folder="Quake (2004)"), False),
    ],
)
def test_a_match_is_certain_if_independent_clues_agree(found: FolderEvidence, *, certain: bool) -> None:
    assert is_certain(score_candidates(found, [match("Quake", year=1996)])) is certain


def test_games_with_the_same_name_need_review_unless_an_id_decides() -> None:
    twins = [match("Prey", game_id="3970", year=2006), match("PREY", game_id="480490", year=2017)]
    assert not is_certain(score_candidates(findings(named("Prey"), program="prey", folder="Prey"), twins))
    decided = score_candidates(findings(named("Prey"), game_id("480490"), folder="Prey"), twins)
    assert (is_certain(decided), decided[0].match.reference.id) == (True, "480490")


def test_a_game_with_the_same_name_at_another_provider_is_not_a_rival() -> None:
    both = [match("Quake"), match("Quake", source="PCGamingWiki")]
    assert is_certain(score_candidates(findings(named("Quake"), program="quake"), both))


def test_contradictory_ids_need_review() -> None:
    matches = [match("Quake", game_id="1"), match("Hades", game_id="2")]
    assert not is_certain(score_candidates(findings(game_id("1"), game_id("2"), folder="x"), matches))


def test_candidates_have_reasons_and_games_without_any_are_omitted() -> None:
    judged = score_candidates(findings(named("Quake"), game_id("1")), [match("Quake"), match("Farming", game_id="9")])
    assert [(each.match.reference.name, each.reasons) for each in judged] == [
        ("Quake", (f"{FOLDER}: Quake", "Steam id 1"))
    ]


@given(st.lists(st.sampled_from([named("Quake"), named("Quakes"), game_id("1"), named("Q", "Unity app.info")])))
def test_confidence_is_between_0_and_1_and_grows_with_clues(clues: list[Clue]) -> None:
    fewer = score_candidates(findings(*clues[:-1]), [match("Quake")])
    more = score_candidates(findings(*clues), [match("Quake")])
    assert all(0 < each.confidence <= 1 for each in more)
    assert (fewer[0].confidence if fewer else 0) <= (more[0].confidence if more else 0)


def guess(filename: str, value: float, platform: Platform = Platform.WINDOWS) -> LaunchGuess:
    return LaunchGuess(filename, platform, value)


def test_the_best_guess_that_is_not_an_installer_launches_the_game() -> None:
    proposed = propose("1.0", [guess("setup_quake.exe", 0.9), guess("quake.exe", 0.8), guess("unins000.exe", 0.0)])
    assert (proposed.launch, proposed.setup, proposed.only_setup) == ("quake.exe", "", False)


def test_a_version_with_only_an_installer_is_setup_only() -> None:
    proposed = propose("1.0", [guess("setup_quake_1.0.exe", 0.8)])
    assert (proposed.launch, proposed.setup, proposed.only_setup) == ("", "setup_quake_1.0.exe", True)


@pytest.mark.parametrize("guesses", [[], [guess("unins000.exe", 0.0)]])
def test_a_version_without_a_program_has_a_remark(guesses: list[LaunchGuess]) -> None:
    assert propose("1.0", guesses).remark


def test_the_program_name_is_that_of_the_newest_version_with_a_program() -> None:
    proposals = [propose("1", [guess("old.exe", 1)]), propose("2", [guess("bin/new.exe", 1)]), propose("3", [])]
    assert program_name(proposals) == "new"


SOLD = {
    "Doom II": 1994,
    "DOOM": 2016,
    "Doom 3": 2004,
    "DOOM 3: BFG Edition": 2012,
    "Hades": 2020,
    "Hades II": 2025,
    "Half-Life": 1998,
    "Half-Life 2": 2004,
    "Portal": 2007,
    "Portal 2": 2011,
    "Portal with RTX": 2022,
    "Fallout": 1997,
    "Fallout 2": 1998,
    "Fallout 4": 2015,
    "Resident Evil 4": 2023,
    "resident evil 4 (2005)": 2014,
    "Stardew Valley": 2016,
    "Stardew Valley Demo": 2016,
    "Stardew Valley Soundtrack": 2016,
    "The Elder Scrolls V: Skyrim": 2011,
    "The Elder Scrolls V: Skyrim Special Edition": 2016,
    "The Witcher 3: Wild Hunt": 2015,
    "Metro 2033": 2010,
    "Metro 2033 Redux": 2014,
    "Outer Wilds": 2020,
    "The Outer Worlds": 2020,
    "Left 4 Dead": 2008,
    "Left 4 Dead 2": 2009,
    "Factorio": 2020,
}
LIBRARY = [match(name, game_id=str(number), year=year) for number, (name, year) in enumerate(SOLD.items(), start=1)]


def judged(folder: str, program: str) -> list[GameCandidate]:
    """Judge a folder with a program by its name, among all that is sold."""
    return score_candidates(FolderEvidence(folder, folder_name(folder), program), LIBRARY)


@pytest.mark.parametrize(
    ("folder", "program", "game"),
    [
        ("DOOM II", "doom2", "Doom II"),
        ("Doom.II.v1.9", "doom2", "Doom II"),
        ("Doom 3", "Doom3", "Doom 3"),
        ("Hades.v1.38290-GOG", "Hades", "Hades"),
        ("setup_hades_1.38290_(64bit)", "Hades", "Hades"),
        ("Hades II", "Hades2", "Hades II"),
        ("Portal", "portal", "Portal"),
        ("Portal 2", "portal2", "Portal 2"),
        ("stardew-valley-windows", "Stardew Valley", "Stardew Valley"),
        ("Stardew Valley (2016)", "Stardew Valley", "Stardew Valley"),
        ("Fallout 2", "fallout2", "Fallout 2"),
        ("Metro 2033", "metro2033", "Metro 2033"),
        ("Outer Wilds", "OuterWilds", "Outer Wilds"),
        ("The Outer Worlds", "TheOuterWorlds", "The Outer Worlds"),
        ("Left 4 Dead", "left4dead", "Left 4 Dead"),
        ("Left 4 Dead 2 [GOG]", "left4dead2", "Left 4 Dead 2"),
        ("Factorio_x64_1.1.100", "factorio", "Factorio"),
        ("DOOM (2016)", "doom", "DOOM"),
    ],
)
def test_common_folder_names_match_the_right_game_with_certainty(folder: str, program: str, game: str) -> None:
    candidates = judged(folder, program)
    assert (is_certain(candidates), candidates[0].match.reference.name) == (True, game)


@pytest.mark.parametrize(
    ("folder", "program", "game"),
    [
        ("Half-Life", "hl", "Half-Life"),
        ("Half-Life 2 Episode One", "hl2", "Half-Life 2"),
        ("Doom 3 BFG Edition", "Doom3BFG", "DOOM 3: BFG Edition"),
        ("Portal.2.MULTi12-PROPHET", "portal2", "Portal 2"),
        ("Fallout", "Fallout4", "Fallout 4"),
        ("Stardew Valley Demo", "Stardew Valley", "Stardew Valley Demo"),
        ("Skyrim", "SkyrimSE", "The Elder Scrolls V: Skyrim"),
        ("The Elder Scrolls V Skyrim", "TESV", "The Elder Scrolls V: Skyrim"),
        ("The.Witcher.3.Wild.Hunt.GOTY.v1.32.GOG", "witcher3", "The Witcher 3: Wild Hunt"),
        ("Metro 2033 Redux", "metro", "Metro 2033 Redux"),
        ("Terraria Mod Pack", "Terraria", None),
        ("Doom", "doom", "DOOM"),
        ("Resident Evil 4", "Resident Evil 4", "Resident Evil 4"),
    ],
)
def test_ambiguous_folders_need_review_with_the_best_candidate_first(
    folder: str, program: str, game: str | None
) -> None:
    candidates = judged(folder, program)
    assert not is_certain(candidates)
    assert (candidates[0].match.reference.name if candidates else None) == game


def test_demos_and_soundtracks_are_unlikely_candidates() -> None:
    first, *others = judged("Stardew Valley (2016)", "Stardew Valley")
    assert first.match.reference.name == "Stardew Valley"
    assert all(each.confidence < 0.5 for each in others)


def test_a_game_newer_than_its_sequel_needs_review() -> None:
    old, new = match("Doom II", game_id="2", year=1994), match("DOOM", game_id="3", year=2016)
    assert not is_certain(score_candidates(findings(named("Doom"), program="doom", folder="Doom"), [old, new]))
    assert is_certain(score_candidates(findings(named("Doom"), program="doom", folder="Doom"), [new]))


def test_a_year_in_the_folder_name_decides_between_games_with_the_same_name() -> None:
    twins = [match("Prey", game_id="3970", year=2006), match("PREY", game_id="480490", year=2017)]
    decided = score_candidates(findings(named("Prey"), program="prey", folder="Prey (2017)"), twins)
    assert (is_certain(decided), decided[0].match.reference.id) == (True, "480490")


def test_a_name_that_contradicts_an_id_needs_review() -> None:
    found = findings(game_id("70"), named("Quake"), program="quake")
    assert not is_certain(score_candidates(found, [match("Quake", game_id="2310")]))
    assert is_certain(score_candidates(found, [match("Quake", game_id="2310", source="IGDB")]))


def test_an_id_that_contradicts_the_name_and_program_needs_review() -> None:
    found = findings(game_id("620"), named("Portal"), program="portal", folder="Portal")
    assert not is_certain(score_candidates(found, [match("Portal 2", game_id="620")]))


def test_a_fault_names_the_version_unless_it_is_the_only_one() -> None:
    reason = Message("no-program-found")
    assert str(version_fault("1.0", reason)) == f"1.0: {reason}"
    assert version_fault("default", reason) is reason
