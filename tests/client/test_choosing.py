"""Which game and which version is meant."""

import pytest

from playdock_client.choosing import AmbiguousMatch, NoMatch, choose_version, find_one, with_commands
from playdock_client.responses import VersionInfo


def version(name: str, platform: str = "Linux", **more: object) -> VersionInfo:
    return VersionInfo(id=f"id-{name}", name=name, platform=platform, **more)  # type: ignore[arg-type]


def one(wanted: str, *names: str) -> str:
    return find_one(
        wanted, names, name=lambda each: each, key=lambda each: f"id-{each}", label=lambda each: f"{each} (there)"
    )


def test_the_exact_name_wins_over_longer_ones() -> None:
    assert one("doom", "Doom II", "Doom", "Doom 64") == "Doom"


@pytest.mark.parametrize("wanted", ["m\u00fchle", "mu\u0308hle"])
def test_an_umlaut_is_the_same_as_one_or_two_characters(wanted: str) -> None:
    assert one(wanted, "Mu\u0308hle", "Doom") == "Mu\u0308hle"


def test_an_id_selects_one_of_several_games_with_the_same_name() -> None:
    assert one("id-Doom", "Doom II", "Doom") == "Doom"


def test_the_error_for_an_ambiguous_name_lists_all_matches() -> None:
    with pytest.raises(AmbiguousMatch, match=r"DOOM \(there\); Doom \(there\)"):
        one("doom", "DOOM", "Doom")


@pytest.mark.parametrize(
    ("wanted", "proposal"),
    [
        ("teworld", " Did you mean “Teeworlds”?"),
        ("doom 6", " Did you mean “Doom 64” or “Doom II”?"),
        ("world", " Did you mean “Teeworlds”?"),
        ("quake", ""),
    ],
)
def test_a_similar_name_is_suggested_but_not_used(wanted: str, proposal: str) -> None:
    with pytest.raises(NoMatch) as refused:
        one(wanted, "Teeworlds", "Doom II", "Doom 64")

    assert str(refused.value) == f"There is no game “{wanted}”.{proposal}"


def test_the_newest_version_of_the_first_platform_that_has_one_is_chosen() -> None:
    versions = [version("1"), version("2"), version("3", "Windows")]

    assert choose_version(versions, platforms=("Linux", "Windows")).name == "2"
    assert choose_version(versions, platforms=("macOS", "Windows")).name == "3"


def test_a_version_is_chosen_by_name_or_id() -> None:
    versions = [version("1"), version("2")]

    assert choose_version(versions, query="1", platforms=("Linux",)).name == "1"
    assert choose_version(versions, query="id-1", platforms=("Linux",)).name == "1"


def test_a_version_is_chosen_by_what_the_pages_call_it() -> None:
    versions = [VersionInfo("1", "Doom v1.0 (GOG)", "Linux", label="1.0 (GOG)"), VersionInfo("2", "2.0", "Linux")]
    chosen = [choose_version(versions, query=query, platforms=["Linux"]) for query in ("1.0 (GOG)", "Doom v1.0 (GOG)")]
    assert [(each.id, each.title) for each in chosen] == [("1", "1.0 (GOG)")] * 2
    with pytest.raises(NoMatch, match=r"Available: 1\.0 \(GOG\) \(Linux, 0 bytes\), 2\.0 \("):
        choose_version(versions, query="3", platforms=["Linux"])


def test_the_error_for_a_missing_version_lists_the_available_ones() -> None:
    with pytest.raises(NoMatch, match=r"no version “9” for Linux. Available: 1 \(Linux, 0 bytes\)"):
        choose_version([version("1")], query="9", platforms=("Linux",))
    with pytest.raises(NoMatch, match="no version of this game yet"):
        choose_version([], platforms=("Linux",))


def test_a_delta_inherits_missing_commands_from_its_base() -> None:
    full = version("1", launch="bin/game", launch_args="-full", setup="setup.sh", compat_id="umu-1")
    between = version("1.1", delta=True, base_id=full.id, launch="bin/new")
    delta = version("1.2", delta=True, base_id=between.id)

    found = with_commands(delta, [between, version("x", setup="x.sh"), delta, full])

    assert (found.launch, found.launch_args, found.setup, found.compat_id) == ("bin/new", "", "setup.sh", "umu-1")


def test_circular_bases_are_followed_once() -> None:
    one = version("1", delta=True, base_id="id-2", launch="bin/one")
    other = version("2", delta=True, base_id="id-1")

    assert with_commands(other, [one, other]).launch == "bin/one"


def test_a_full_version_inherits_no_commands() -> None:
    older, full = version("1", setup="setup.sh"), version("2", launch="game")

    assert with_commands(full, [older, full]) == full


def test_the_only_version_of_a_game_is_called_like_the_game() -> None:
    versions = (version("default", "Linux"), version("default", "Linux", label="1.0"), version("1.1", "Linux"))
    assert [each.title_with("Doom") for each in versions] == ["Doom", "Doom 1.0", "Doom 1.1"]
    assert [each.summary for each in versions] == ["Linux", "1.0 (Linux)", "1.1 (Linux)"]
