"""When a backup is due, which ones are kept, and which objects are read again."""

import re
from datetime import UTC, datetime, time, timedelta, timezone

import pytest

from playdock.backups import rules
from playdock.backups.rules import BackupList, StoredFile, StoredObjectLine
from playdock.features.reports.rules import CheckState, LastEnds, backups
from playdock.kit.clock import time_of_day

_DAY = datetime(2026, 11, 23, 12, 0, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("at", "last", "due"),
    [
        (time(4), None, True),
        (time(4), datetime(2026, 11, 23, 3, 0, tzinfo=UTC), False),
        (time(4), datetime(2026, 11, 23, 2, 59, tzinfo=UTC), True),
        (time(13), datetime(2026, 11, 22, 11, 0, tzinfo=UTC), True),
        (time(13), datetime(2026, 11, 22, 12, 0, tzinfo=UTC), False),
    ],
)
def test_a_backup_is_due_once_its_time_of_day_has_come(at: time, last: datetime | None, *, due: bool) -> None:
    assert rules.is_due(_DAY, at=at, last=last) is due


@pytest.mark.parametrize(
    ("text", "read"), [("04:00", time(4)), ("4:30", time(4, 30)), ("24:00", None), ("4", None), ("4:60", None)]
)
def test_a_time_of_day_has_hours_and_minutes(text: str, read: time | None) -> None:
    assert time_of_day(text) == read


def test_the_newest_backups_are_kept() -> None:
    names = ["2026-11-03T040000Z", "2026-11-01T040000Z", "2026-11-02T040000Z"]
    assert rules.surplus(names, new=names[0], kept=2) == ["2026-11-01T040000Z"]
    assert (rules.surplus(names, new=names[0], kept=0), rules.surplus(names, new=names[0], kept=5)) == ([], [])
    # The clock was ahead when the one with the latest name was made.
    assert rules.surplus(names, new=names[1], kept=1) == [names[2], names[0]]


def test_backups_of_one_second_have_different_names() -> None:
    first = rules.name_of(_DAY, taken=[])
    second = rules.name_of(_DAY, taken=[first])
    assert (first, second) == ("2026-11-23T110000Z", "2026-11-23T110000Z-2")
    assert rules.is_name(first)
    assert rules.is_name(second)
    # The first one was deleted. The new one must be the newest.
    assert rules.name_of(_DAY, taken=[second, f"{first}-10"]) == f"{first}-11"
    assert rules.in_order([f"{first}-10", "before-upgrade", second, first]) == [first, second, f"{first}-10"]


@pytest.mark.parametrize(
    ("paths", "whole"),
    [
        (["database.dump", "objects.txt"], True),
        (["database.sqlite3", "secrets/secret.key", "objects.txt"], True),
        ([], False),
        (["objects.txt"], False),
        (["database.sqlite3"], False),
        (["objects.txt", "database.sqlite3"], False),
        (["../database.sqlite3", "objects.txt"], False),
        (["database.sqlite3", "secrets/../../x", "objects.txt"], False),
        (["database.sqlite3", "secrets/..", "objects.txt"], False),
    ],
)
def test_a_list_names_what_a_backup_has(paths: list[str], *, whole: bool) -> None:
    files = tuple(StoredFile(path, 1, "a" * 64) for path in paths)
    numbers = {"format": 1, "objects": 0, "object_bytes": 0}
    listed = BackupList(release="1", schema="1", database="SQLite", created=_DAY, files=files, settings=(), **numbers)
    assert rules.is_whole(listed) is whole


def test_lines_are_found_by_key_in_one_pass() -> None:
    known = [StoredObjectLine("a" * 64, 1, key) for key in ("layers/b", "layers/c", "objects/a")]
    keys = ["layers/a", "layers/c", "objects/a", "objects/b"]
    assert [line.key if line else None for line in rules.hashes_by_key(known, keys)] == [
        None,
        "layers/c",
        "objects/a",
        None,
    ]


@pytest.mark.parametrize("text", ["", "x", f"{'a' * 64} 1 ../../etc/passwd", f"{'a' * 63} 1 objects/{'0' * 16}"])
def test_a_damaged_line_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text) or None):
        rules.line_of(text)


@pytest.mark.parametrize(
    ("made", "failed", "state"),
    [
        (None, None, CheckState.WARNING),
        (None, 1, CheckState.BAD),
        (1, None, CheckState.GOOD),
        (1, 30, CheckState.GOOD),
        (30, 1, CheckState.BAD),
        (49, None, CheckState.BAD),
    ],
)
def test_the_health_check_reports_missing_failed_and_old_backups(
    made: int | None, failed: int | None, state: CheckState
) -> None:
    ended, failed_at = (None if hours is None else _DAY - timedelta(hours=hours) for hours in (made, failed))
    assert backups(LastEnds(ended, failed_at, "The disk is full."), now=_DAY).state is state
