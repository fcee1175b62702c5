"""The files of the security log."""

import json
from pathlib import Path

from playdock.kit import security_log
from playdock.kit.security_log import SecurityLog
from world import FakeClock


def test_each_day_has_a_file_that_only_the_service_can_read(tmp_path: Path) -> None:
    clock = FakeClock()
    log = SecurityLog(tmp_path / "log", 90, clock)

    log.append({"event": "first"})
    log.append({"event": "second"})
    clock.advance(days=1)
    log.append({"event": "third"})

    first, second = sorted((tmp_path / "log").iterdir())
    assert [json.loads(line)["event"] for line in first.read_text().splitlines()] == ["first", "second"]
    assert json.loads(second.read_text())["event"] == "third"
    assert (first.stat().st_mode & 0o777, (tmp_path / "log").stat().st_mode & 0o777) == (0o600, 0o700)


def test_old_days_are_deleted_and_other_files_are_kept(tmp_path: Path) -> None:
    clock = FakeClock()
    log = SecurityLog(tmp_path, 30, clock)
    log.append({"event": "old"})
    (tmp_path / "notes.txt").write_text("mine")
    clock.advance(days=30)
    log.append({"event": "new"})

    log.delete_expired()
    assert len(list(tmp_path.iterdir())) == 3
    clock.advance(days=1)
    log.delete_expired()

    assert [path.name for path in sorted(tmp_path.iterdir())][1:] == ["notes.txt"]
    assert "new" in min(tmp_path.iterdir()).read_text()


def test_a_full_day_is_not_continued(tmp_path: Path) -> None:
    log = SecurityLog(tmp_path, 90, FakeClock())
    log.append({"event": "first"})
    (path,) = tmp_path.iterdir()
    with path.open("r+b") as file:
        file.truncate(security_log.MAX_FILE_BYTES)

    log.append({"event": "second"})

    assert path.stat().st_size == security_log.MAX_FILE_BYTES


def test_nothing_is_recorded_without_a_folder_and_a_failure_does_not_stop_the_request(tmp_path: Path) -> None:
    SecurityLog(None, 0, FakeClock()).append({"event": "first"})
    SecurityLog(None, 0, FakeClock()).delete_expired()
    (tmp_path / "log").write_text("a file in place of the folder")

    SecurityLog(tmp_path / "log", 90, FakeClock()).append({"event": "first"})

    assert (tmp_path / "log").read_text() == "a file in place of the folder"
