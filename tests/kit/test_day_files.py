"""Files of lines, one for each day."""

import os
from datetime import date
from pathlib import Path

import pytest

from playdock.kit.day_files import DayFiles

_DAY = date(2026, 11, 22)
_NO_LIMIT = 10**9


def _days(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_each_day_has_a_file_that_only_the_service_can_read(tmp_path: Path) -> None:
    files = DayFiles(tmp_path / "log", 90)

    for line, day in ((b"first\n", _DAY), (b"second\n", _DAY), (b"third\n", date(2026, 11, 23))):
        assert files.append(line, day=day, max_bytes=_NO_LIMIT)

    first, second = sorted((tmp_path / "log").iterdir())
    assert (first.name, first.read_text(), second.read_text()) == ("2026-11-22.jsonl", "first\nsecond\n", "third\n")
    assert (first.stat().st_mode & 0o777, (tmp_path / "log").stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_full_file_is_not_continued(tmp_path: Path) -> None:
    files = DayFiles(tmp_path, 90)
    assert files.append(b"first\n", day=_DAY, max_bytes=6)

    assert not files.append(b"second\n", day=_DAY, max_bytes=6)

    assert (tmp_path / "2026-11-22.jsonl").read_bytes() == b"first\n"


def test_the_line_after_an_incomplete_one_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, write = DayFiles(tmp_path, 90), os.write

    # A disk that has become full takes only the beginning of a line.
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
        with pytest.raises(OSError, match="only a part"):
            files.append(b"first\n", day=_DAY, max_bytes=_NO_LIMIT)
    files.append(b"second\n", day=_DAY, max_bytes=_NO_LIMIT)
    files.append(b"third\n", day=_DAY, max_bytes=_NO_LIMIT)

    assert (tmp_path / "2026-11-22.jsonl").read_bytes() == b"fir\nsecond\nthird\n"


@pytest.mark.parametrize(
    ("days", "kept"),
    [
        (30, ["2026-10-23.jsonl", "2026-11-22.jsonl", "notes.txt"]),
        (1, ["2026-11-22.jsonl", "notes.txt"]),
        (0, ["notes.txt"]),
    ],
)
def test_old_days_are_deleted_and_other_files_are_kept(tmp_path: Path, days: int, kept: list[str]) -> None:
    for name in ("2026-10-22.jsonl", "2026-10-23.jsonl", "2026-11-22.jsonl", "notes.txt"):
        (tmp_path / name).write_text("mine")

    DayFiles(tmp_path, days).delete_expired(today=_DAY)

    assert _days(tmp_path) == kept


def test_there_is_nothing_to_delete_in_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    DayFiles(tmp_path / "log", 30).delete_expired(today=_DAY)
    assert _days(tmp_path) == []
