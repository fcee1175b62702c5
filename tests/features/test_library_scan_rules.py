"""When files are taken for completely copied."""

from datetime import UTC, datetime, timedelta

import pytest

from playdock.content.folder_state import FolderState
from playdock.domain.found_versions.queries import Look
from playdock.domain.libraries.rules import not_ignored
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
    ("looks", "due"),
    [
        # The first look at old files is enough.
        ([(0, "a", -48 * _HOUR)], None),
        # Two looks are needed, even if the files seem to have been unchanged for long.
        ([(0, "a", -5 * _HOUR)], 2),
        ([(0, "a", -5 * _HOUR), (1, "a", -5 * _HOUR)], 2),
        ([(0, "a", -5 * _HOUR), (2, "a", -5 * _HOUR)], None),
        ([(0, "a", -10)], 20),
        ([(0, "a", -10), (20, "a", -10)], None),
        # The quiet time begins with the last change, not with the look that finds it.
        ([(0, "a", 0), (30, "b", 25)], 55),
        ([(0, "a", 0), (30, "b", 25), (55, "b", 25)], None),
        # A clock of the file server that is slow or fast does not make files that change look unchanged.
        ([(0, "a", -_HOUR), (2, "b", -_HOUR)], 30),
        ([(0, "a", _HOUR)], 30),
        ([(0, "a", _HOUR), (30, "b", _HOUR)], 60),
        # The clock of this machine was set back.
        ([(2 * _HOUR, "a", 2 * _HOUR), (0, "a", 2 * _HOUR)], 30),
    ],
)
def test_files_are_settled_when_they_have_been_unchanged(
    looks: list[tuple[float, str, float]], due: float | None
) -> None:
    found = seen(*looks)

    assert found is not None
    assert found.due == (None if due is None else seconds(due))


def test_files_that_cannot_be_read_are_looked_at_again() -> None:
    found = rules.look(seen((0, "a", -10)), None, at=seconds(20), quiet=_QUIET)

    assert found.due == seconds(50)


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


@pytest.mark.parametrize(("placed", "is_complete"), [(0, True), (-1, False), (None, False)])
def test_what_was_uploaded_is_complete_unless_it_has_changed_since(placed: float | None, *, is_complete: bool) -> None:
    state = FolderState("a", seconds(0).timestamp())
    moved = None if placed is None else seconds(placed)
    found = rules.look(None, state, at=seconds(1), quiet=_QUIET, placed=moved)
    assert (found.due is None) == is_complete
