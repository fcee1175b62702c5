"""The security log: what is recorded, what is not, and what happens while the disk hangs."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from playdock.kit.day_files import DayFiles
from playdock.kit.security_log import RequestOrigin, SecurityEvent, SecurityLog, record, recorded_in, set_origin
from waiting import MAX_WAIT_SECONDS, wait_until
from world import FakeClock

_FAILED = "a security event could not be recorded"
_FULL = "the file of the security log is full until the next day (UTC)"


class _HangingFiles(DayFiles, frozen=True):
    """Files on a disk that does not respond until `responds` is set."""

    asked: threading.Event
    responds: threading.Event

    def append(self, line: bytes, *, day: date, max_bytes: int) -> bool:
        self.asked.set()
        self.responds.wait(MAX_WAIT_SECONDS)
        return super().append(line, day=day, max_bytes=max_bytes)


@contextmanager
def _opened(log: SecurityLog) -> Iterator[SecurityLog]:
    try:
        yield log
    finally:
        log.close()


def _flush(log: SecurityLog) -> None:
    assert log.flush(seconds=MAX_WAIT_SECONDS)


def _hanging(folder: Path, **limits: int) -> tuple[SecurityLog, _HangingFiles]:
    """Return a log whose thread is waiting for the disk with the first event."""
    files = _HangingFiles(folder, 90, threading.Event(), threading.Event())
    log = SecurityLog(files, FakeClock(), **limits)
    log.append(SecurityEvent.SIGNED_IN)
    assert files.asked.wait(MAX_WAIT_SECONDS)
    return log, files


def _events(folder: Path) -> list[str]:
    return [
        json.loads(line)["event"] for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()
    ]


def test_each_event_is_a_line_in_the_file_of_its_day(tmp_path: Path) -> None:
    clock = FakeClock()
    with _opened(SecurityLog(DayFiles(tmp_path, 90), clock)) as log:
        log.append(SecurityEvent.SIGNED_IN, user="ada")
        clock.advance(days=1)
        log.append(SecurityEvent.SIGNED_OUT, user="ada")

    first, second = sorted(tmp_path.iterdir())
    assert json.loads(first.read_text()) | {"event": "signed-in", "user": "ada"} == json.loads(first.read_text())
    assert json.loads(second.read_text())["event"] == "signed-out"


_MAX_BYTES = 40_000
# What anybody can cause, from the least to the most important, and the part of the file that they may fill together.
_FLOODS = [
    ("anonymous", SecurityEvent.REFUSED, "", 1 / 8),
    ("failed", SecurityEvent.SIGN_IN_FAILED, "", 1 / 4),
    ("locked", SecurityEvent.LOCKED_OUT, "", 3 / 8),
    ("member", SecurityEvent.REFUSED, "bob", 1 / 2),
    ("other", SecurityEvent.TOKEN_CREATED, "bob", 1.0),
]


def test_a_flood_of_one_kind_of_event_does_not_keep_out_more_important_ones(tmp_path: Path) -> None:
    files, sizes = DayFiles(tmp_path, 90), []
    with _opened(SecurityLog(files, FakeClock(), max_bytes=_MAX_BYTES)) as log, capture_logs() as lines:
        for _, event, caller, _ in _FLOODS:
            for _ in range(500):
                log.append(event, caller=caller)
            _flush(log)
            sizes.append(sum(path.stat().st_size for path in tmp_path.iterdir()))

    line = 150
    assert all(
        part * _MAX_BYTES <= size < part * _MAX_BYTES + line for size, (*_, part) in zip(sizes, _FLOODS, strict=True)
    )
    # Once for each limit and not for each event.
    full = [(line["security_event"], line["only_for_refusals"]) for line in lines if line["event"] == _FULL]
    assert full == [(event, part < 1) for _, event, _, part in _FLOODS]


def test_the_next_day_is_recorded_and_may_become_full_too(tmp_path: Path) -> None:
    clock = FakeClock()
    with _opened(SecurityLog(DayFiles(tmp_path, 90), clock, max_bytes=200)) as log, capture_logs() as lines:
        for _ in range(2):
            for _ in range(10):
                log.append(SecurityEvent.TOKEN_CREATED)
            clock.advance(days=1)
        _flush(log)

    assert len(list(tmp_path.iterdir())) == 2
    assert [line["event"] for line in lines] == [_FULL, _FULL]


def test_nothing_is_recorded_for_no_days_and_what_is_there_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "2026-11-22.jsonl").write_text("old")
    with _opened(SecurityLog(DayFiles(tmp_path, 0), FakeClock())) as log:
        log.start()
        log.append(SecurityEvent.SIGNED_IN)
        _flush(log)

    assert list(tmp_path.iterdir()) == []


def test_old_days_are_deleted_when_the_process_starts(tmp_path: Path) -> None:
    (tmp_path / "2020-01-01.jsonl").write_text("old")
    with _opened(SecurityLog(DayFiles(tmp_path, 90), FakeClock())) as log:
        log.start()
        _flush(log)

    assert list(tmp_path.iterdir()) == []


def test_old_days_are_deleted_daily_although_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playdock.kit.security_log._CLEANING_SECONDS", 0.01)
    with _opened(SecurityLog(DayFiles(tmp_path, 90), FakeClock())) as log:
        log.start()
        _flush(log)
        (tmp_path / "2020-01-01.jsonl").write_text("old")
        wait_until(lambda: not list(tmp_path.iterdir()))


def test_failures_are_reported_once_and_do_not_end_the_thread(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    folder.write_text("a file in place of the folder")
    with _opened(SecurityLog(DayFiles(folder, 90), FakeClock())) as log, capture_logs() as lines:
        for _ in range(10):
            log.append(SecurityEvent.SIGNED_IN)
        _flush(log)
        folder.unlink()
        log.append(SecurityEvent.SIGNED_OUT)

    assert [(line["event"], line["security_event"]) for line in lines] == [(_FAILED, "signed-in")]
    assert _events(folder) == ["signed-out"]


def test_an_event_does_not_wait_for_a_disk_that_hangs_and_too_many_are_dropped(tmp_path: Path) -> None:
    log, files = _hanging(tmp_path, max_waiting=10)
    with capture_logs() as lines:
        for event in (SecurityEvent.REFUSED, SecurityEvent.ROLE_CHANGED):
            for _ in range(20):
                log.append(event, caller="bob")
        files.responds.set()
        log.close()

    # Refusals use half of the queue only.
    assert _events(tmp_path) == ["signed-in", *["refused"] * 5, *["role-changed"] * 5]
    assert [(line["event"], line["reason"]) for line in lines] == [(_FAILED, "the disk is too slow")]


def test_a_disk_that_hangs_does_not_delay_the_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playdock.kit.security_log._MAX_CLOSE_SECONDS", 0.01)
    log, files = _hanging(tmp_path)
    with capture_logs() as lines:
        assert not log.flush(seconds=0.01)
        log.close()
        log.append(SecurityEvent.SIGNED_OUT)
    files.responds.set()

    assert [line["event"] for line in lines] == ["stopped before all security events were recorded", _FAILED]


def test_what_is_waiting_is_written_before_the_stop(tmp_path: Path) -> None:
    with _opened(SecurityLog(DayFiles(tmp_path, 90), FakeClock())) as log:
        for _ in range(100):
            log.append(SecurityEvent.SIGNED_IN)
    assert _events(tmp_path) == ["signed-in"] * 100


def _of_a_command(log: SecurityLog, call: Callable[[], None]) -> None:
    with recorded_in(log):
        call()


def test_only_events_of_requests_and_commands_are_recorded(tmp_path: Path) -> None:
    with _opened(SecurityLog(DayFiles(tmp_path, 90), FakeClock())) as log:
        record(SecurityEvent.SIGNED_IN)
        _of_a_command(log, lambda: record(SecurityEvent.INVITATION_CREATED, admin=True))
        record(SecurityEvent.SIGNED_IN)
    (path,) = tmp_path.iterdir()
    found = json.loads(path.read_text())
    assert (found["event"], found["network"], found["caller"], found["admin"]) == ("invitation-created", "", "", True)


def test_long_text_is_cut(tmp_path: Path) -> None:
    def refuse() -> None:
        set_origin(RequestOrigin(log, "192.0.2.1"))
        record(SecurityEvent.REFUSED, path="/" + "\x00" * 16_000)

    with _opened(SecurityLog(DayFiles(tmp_path, 90), FakeClock())) as log:
        thread = threading.Thread(target=refuse)
        thread.start()
        thread.join()
    (path,) = tmp_path.iterdir()
    assert path.stat().st_size < 2000
    assert len(json.loads(path.read_text())["path"]) == 201
