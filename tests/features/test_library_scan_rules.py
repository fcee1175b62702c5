"""When files are taken for completely copied."""

from datetime import UTC, datetime, timedelta

import pytest

from playdock.content.folder_state import FolderState
from playdock.domain.found_versions.queries import Look
from playdock.domain.libraries.rules import has_ignored_versions, ignoring, not_ignored, offering
from playdock.features.library_scans import rules
from playdock.stored import LibraryRules

_START = datetime(2026, 1, 2, 12, tzinfo=UTC)
_QUIET = timedelta(seconds=30)
_HOUR = 3600


def seconds(count: float) -> datetime:
    return _START + timedelta(seconds=count)


def seen(*looks: tuple[float, str, float]) -> Look | None:
    """Look several times: when, at which files, and when the file system says that they changed."""
    found = None
    for at, files, changed in looks:
        state = FolderState(files, seconds(changed).timestamp())
        found = rules.look(found, state, at=seconds(at), quiet=_QUIET)
    return found


@pytest.mark.parametrize(
    ("looks", "due", "is_offered"),
    [
        # The first look at old files is enough.
        ([(0, "a", -48 * _HOUR)], None, True),
        # Two looks are needed, even if the files seem to have been unchanged for long.
        ([(0, "a", -5 * _HOUR)], 2, False),
        ([(0, "a", -5 * _HOUR), (1, "a", -5 * _HOUR)], 2, False),
        ([(0, "a", -5 * _HOUR), (2, "a", -5 * _HOUR)], None, True),
        ([(0, "a", -10)], 2, False),
        # People can import it after some seconds, rules after the quiet time.
        ([(0, "a", 0)], 4, False),
        ([(0, "a", 0), (3, "a", 0)], 4, False),
        ([(0, "a", 0), (4, "a", 0)], 30, True),
        ([(0, "a", -10), (2, "a", -10)], 20, True),
        ([(0, "a", -10), (20, "a", -10)], None, True),
        ([(0, "a", 0), (4, "a", 0), (30, "a", 0)], None, True),
        # The quiet time begins with the last change, not with the look that finds it.
        ([(0, "a", 0), (4, "a", 0), (30, "b", 25)], 32, False),
        ([(0, "a", 0), (30, "b", 25), (32, "b", 25)], 55, True),
        ([(0, "a", 0), (30, "b", 25), (55, "b", 25)], None, True),
        # A clock of the file server that is slow or fast does not make files that change look unchanged.
        ([(0, "a", -_HOUR), (2, "b", -_HOUR)], 4, False),
        ([(0, "a", _HOUR)], 4, False),
        ([(0, "a", _HOUR), (4, "b", _HOUR)], 8, False),
        # The clock of this machine was set back.
        ([(2 * _HOUR, "a", 2 * _HOUR), (0, "a", 2 * _HOUR)], 4, False),
    ],
)
def test_files_are_offered_and_settled_when_they_have_been_unchanged(
    looks: list[tuple[float, str, float]], due: float | None, *, is_offered: bool
) -> None:
    found = seen(*looks)

    assert found is not None
    assert found.due == (None if due is None else seconds(due))
    assert found.is_offered == is_offered


@pytest.mark.parametrize(("quiet", "dues"), [(1, [2, None]), (4, [4, None]), (5, [4, 5])])
def test_a_short_quiet_time_is_all_that_is_waited_for(quiet: int, dues: list[float | None]) -> None:
    state, found = FolderState("a", seconds(0).timestamp()), None
    for due in dues:
        at = seconds(0) if found is None else found.due
        assert at is not None
        found = rules.look(found, state, at=at, quiet=timedelta(seconds=quiet))
        assert found.due == (None if due is None else seconds(due))
        assert found.is_offered == (at != seconds(0))


def test_files_that_cannot_be_read_are_looked_at_again() -> None:
    found = rules.look(seen((0, "a", -10)), None, at=seconds(20), quiet=_QUIET)

    assert found.due == seconds(50)
    assert not found.is_offered


@pytest.mark.parametrize(
    ("patterns", "offered"),
    [
        ((), ["Doom", "Doom.part", "_extras"]),
        (("*.PART", "_*"), ["Doom"]),
        (("doom",), ["Doom.part", "_extras"]),
        (("*a*a*a*a*a*a*a*b",), ["Doom", "Doom.part", "_extras"]),
    ],
)
def test_ignored_names_are_not_offered(patterns: tuple[str, ...], offered: list[str]) -> None:
    assert not_ignored(["Doom", "Doom.part", "_extras"], LibraryRules(ignore=patterns)) == offered


@pytest.mark.parametrize(
    ("patterns", "offered"),
    [
        (("Doom/1.0.zip",), ["1.1", "demo.zip"]),
        (("doom/1.*",), ["demo.zip"]),
        (("*/demo.zip", "Quake/*"), ["1.0.zip", "1.1"]),
        (("Doom*",), ["1.0.zip", "1.1", "demo.zip"]),
    ],
)
def test_patterns_with_a_slash_are_for_versions(patterns: tuple[str, ...], offered: list[str]) -> None:
    versions = ["1.0.zip", "1.1", "demo.zip"]
    assert not_ignored(versions, LibraryRules(ignore=patterns), game="Doom") == offered
    assert not_ignored(versions, LibraryRules(ignore=patterns)) == versions


def test_ignoring_a_version_names_exactly_that() -> None:
    name, version = "Doom [GOG] *", "1.0?.zip"
    rules = ignoring(ignoring(LibraryRules(ignore=("*.part",)), name, version), name, version)
    assert len(rules.ignore) == 2
    assert not_ignored([version, "1.01.zip"], rules, game=name) == ["1.01.zip"]
    assert not_ignored([version], rules, game="Doom G *") == [version]
    assert has_ignored_versions(rules, name.upper())
    assert not has_ignored_versions(LibraryRules(ignore=("*/demo", "a?/1", "[ab]/1", "a")), "a")
    assert not_ignored([name, "Doom"], ignoring(LibraryRules(), name)) == ["Doom"]
    assert offering(rules, name, version) == LibraryRules(ignore=("*.part",))


@pytest.mark.parametrize(("placed", "is_complete"), [(0, True), (-1, False), (None, False)])
def test_what_was_uploaded_is_complete_unless_it_has_changed_since(placed: float | None, *, is_complete: bool) -> None:
    state = FolderState("a", seconds(0).timestamp())
    moved = None if placed is None else seconds(placed)
    found = rules.look(None, state, at=seconds(1), quiet=_QUIET, placed=moved)
    assert (found.due is None) == is_complete


@pytest.mark.parametrize(
    ("folder", "games", "expected"),
    [
        ("Doom 1.1", {"Doom 1.0": "doom"}, "doom"),
        ("Doom 1.2", {"Doom": "doom"}, "doom"),
        ("DOOM_v1.3 (GOG).zip", {"Doom 1.0": "doom", "Doom 1.1": "doom"}, "doom"),
        ("setup_doom_1.1_(12345).exe", {"setup_doom_1.0_(12333).exe": "doom"}, "doom"),
        ("Quake 1.1", {"Doom 1.0": "doom"}, None),
        ("Doom II 1.1", {"Doom 1.0": "doom"}, None),
        ("Doom [Demo] 1.1", {"Doom (igdb-1) 1.0": "doom"}, None),
        ("Doom 1.1", {"Doom Deluxe Edition 1.0": "doom"}, None),
        ("Doom (2016) 6.66", {"Doom (1993) 1.9": "doom"}, None),
        # Two games have the title.
        ("Doom (1993) 1.9", {"Doom (1993) 1.0": "doom", "Doom (2016) 1.0": "other"}, None),
    ],
)
def test_a_folder_belongs_to_the_only_game_of_its_title(
    folder: str, games: dict[str, str], expected: str | None
) -> None:
    assert rules.game_of_title(folder, rules.by_title(games)) == expected
