"""What is well, doubtful or broken, and which days are shown."""

from datetime import UTC, date, datetime, timedelta

import pytest

from playdock.domain.transfers.rules import Day
from playdock.features.reports import rules
from playdock.features.reports.rules import DAYS, CheckState, DiskRecord
from playdock.kit.messages import Message

GIB = 1024**3


def test_thirty_days_up_to_today_are_always_listed() -> None:
    sent = Day(date(2026, 3, 1), 10, 1)
    shown = rules.padded([sent], today=date(2026, 3, 2))
    assert len(shown) == DAYS
    assert (shown[0].day, shown[-1], shown[-2]) == (date(2026, 2, 1), Day(date(2026, 3, 2)), sent)


@pytest.mark.parametrize(
    ("free", "total", "state"),
    [
        (GIB - 1, 10 * GIB, CheckState.BAD),
        (GIB, 10 * GIB, CheckState.GOOD),
        (49 * GIB, 1000 * GIB, CheckState.WARNING),
        (50 * GIB, 1000 * GIB, CheckState.GOOD),
    ],
)
def test_a_disk_is_nearly_full_below_five_percent_and_full_below_one_gib(
    free: int, total: int, state: CheckState
) -> None:
    assert rules.free_space(free, total).state is state


@pytest.mark.parametrize(
    ("url", "state"),
    [
        ("https://games.example.org", CheckState.GOOD),
        ("http://localhost:3000", CheckState.WARNING),
        ("https://localhost", CheckState.WARNING),
        ("http://127.0.0.1", CheckState.WARNING),
        ("http://[::1]:3000", CheckState.WARNING),
        ("http://games.example.org", CheckState.WARNING),
        ("http://nas:3000", CheckState.WARNING),
        ("http://notlocalhost", CheckState.WARNING),
    ],
)
def test_an_address_is_good_if_others_can_open_it_over_https(url: str, state: CheckState) -> None:
    assert rules.address(url).state is state


def test_every_warning_contains_instructions() -> None:
    checks = [
        rules.library("Attic", Message("no-such-folder")),
        rules.no_library(),
        rules.no_data_folder("Permission denied"),
        rules.free_space(0, GIB),
        rules.free_space(GIB, 100 * GIB),
        rules.versions(2),
        rules.tasks(1),
        rules.address("http://games.example.org"),
        rules.address("http://localhost:3000"),
        rules.provider_without_keys("igdb"),
    ]
    assert CheckState.GOOD not in {check.state for check in checks}
    assert all(check.detail.endswith(".") and check.detail.count(". ") >= 1 for check in checks)


@pytest.mark.parametrize(
    ("free_by_day", "left"),
    [
        ([100, 90, 80, 70, 60, 50], None),
        ([100, 90, 80, 70, 60, 50, 40], 4),
        ([100, 95, 80, 75, 60, 55, 40], 4),
        ([40, 50, 60, 70, 80, 90, 100], None),
        ([40] * 7, None),
    ],
)
def test_a_disk_is_full_when_the_line_through_its_records_reaches_zero(
    free_by_day: list[int], left: int | None
) -> None:
    start = date(2026, 3, 1)
    records = [DiskRecord(start + timedelta(days=day), free) for day, free in enumerate(free_by_day)]
    assert rules.days_left(records, free=free_by_day[-1]) == left


@pytest.mark.parametrize(("left", "state"), [(None, "good"), (30, "good"), (29, "warning"), (0, "warning")])
def test_a_disk_that_is_full_within_a_month_is_a_warning(left: int | None, state: str) -> None:
    assert rules.free_space(500 * GIB, 1000 * GIB, left=left).state == state
    assert rules.library("Attic", None, free=500 * GIB, left=left).state == state


@pytest.mark.parametrize(("seconds", "state"), [(0.01, "good"), (0.2, "warning")])
def test_a_slow_library_is_a_warning(seconds: float, state: str) -> None:
    assert rules.library("Attic", None, seconds=seconds).state == state


@pytest.mark.parametrize(("days", "state"), [(-1, "bad"), (0, "bad"), (13, "warning"), (15, "good")])
def test_a_certificate_that_expires_soon_is_a_warning(days: int, state: str) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    assert rules.certificate(now + timedelta(days=days), now=now).state == state
