"""What is well, doubtful or broken, and which days are shown."""

from datetime import date

import pytest

from playdock.domain.transfers.rules import Day
from playdock.features.reports import rules
from playdock.features.reports.rules import DAYS, CheckState
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
