"""How sure it is which game a folder is: clues that do not depend on each other add up, and nothing else does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.evidence import Clue, ClueKind
from playdock.content.guesses import Guess
from playdock.content.programs import Platform
from playdock.features.import_plan.rules import Findings, is_certain, judge, program_name, propose
from playdock.metadata.providers import Match, Reference

FOLDER = "folder name"


def match(name: str, *, game_id: str = "1", source: str = "Steam", year: int = 0) -> Match:
    return Match(Reference(source, game_id, name), source, 1.0, year=year)


def named(value: str, source: str = FOLDER) -> Clue:
    return Clue(ClueKind.NAME, source, value, "some file")


def game_id(value: str, *, source: str = "Steam", detail: str = "steam_appid.txt") -> Clue:
    return Clue(ClueKind.ID, source, value, detail)


def findings(*clues: Clue, folder: str = "Quake", program: str = "") -> Findings:
    return Findings(folder, clues, program)


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
def test_independent_clues_that_agree_make_certain(found: Findings, *, certain: bool) -> None:
    assert is_certain(judge(found, [match("Quake", year=1996)])) is certain


def test_a_game_of_the_same_name_makes_doubtful_unless_an_id_decides() -> None:
    twins = [match("Prey", game_id="3970", year=2006), match("PREY", game_id="480490", year=2017)]
    assert not is_certain(judge(findings(named("Prey"), program="prey", folder="Prey"), twins))
    decided = judge(findings(named("Prey"), game_id("480490"), folder="Prey"), twins)
    assert (is_certain(decided), decided[0].match.reference.id) == (True, "480490")


def test_a_game_of_the_same_name_at_another_provider_is_no_rival() -> None:
    both = [match("Quake"), match("Quake", source="PCGamingWiki")]
    assert is_certain(judge(findings(named("Quake"), program="quake"), both))


def test_two_ids_that_contradict_each_other_are_left_to_the_admin() -> None:
    matches = [match("Quake", game_id="1"), match("Hades", game_id="2")]
    assert not is_certain(judge(findings(game_id("1"), game_id("2"), folder="x"), matches))


def test_reasons_are_told_and_games_that_nothing_speaks_for_are_left_out() -> None:
    judged = judge(findings(named("Quake"), game_id("1")), [match("Quake"), match("Farming", game_id="9")])
    assert [(each.match.reference.name, each.reasons) for each in judged] == [
        ("Quake", (f"{FOLDER}: Quake", "Steam id 1"))
    ]


@given(st.lists(st.sampled_from([named("Quake"), named("Quakes"), game_id("1"), named("Q", "Unity app.info")])))
def test_confidence_is_between_0_and_1_and_grows_with_clues(clues: list[Clue]) -> None:
    fewer = judge(findings(*clues[:-1]), [match("Quake")])
    more = judge(findings(*clues), [match("Quake")])
    assert all(0 < each.confidence <= 1 for each in more)
    assert (fewer[0].confidence if fewer else 0) <= (more[0].confidence if more else 0)


def guess(filename: str, value: float, platform: Platform = Platform.WINDOWS) -> Guess:
    return Guess(filename, platform, value)


def test_the_likeliest_program_that_sets_nothing_up_launches_the_game() -> None:
    proposed = propose("1.0", [guess("setup_quake.exe", 0.9), guess("quake.exe", 0.8), guess("unins000.exe", 0.0)])
    assert (proposed.launch, proposed.setup, proposed.only_setup) == ("quake.exe", "", False)


def test_a_version_with_nothing_but_an_installer_is_set_up_only() -> None:
    proposed = propose("1.0", [guess("setup_quake_1.0.exe", 0.8)])
    assert (proposed.launch, proposed.setup, proposed.only_setup) == ("", "setup_quake_1.0.exe", True)


@pytest.mark.parametrize("guesses", [[], [guess("unins000.exe", 0.0)]])
def test_a_version_without_a_program_cannot_be_imported_as_it_is(guesses: list[Guess]) -> None:
    assert propose("1.0", guesses).remark


def test_the_program_of_the_newest_version_speaks_for_the_game() -> None:
    proposals = [propose("1", [guess("old.exe", 1)]), propose("2", [guess("bin/new.exe", 1)]), propose("3", [])]
    assert program_name(proposals) == "new"
