"""When deliveries are due."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from playdock.features.delivery import rules
from playdock.features.delivery.rules import Addressee, DeliveryChannel
from playdock.stored import StoredDelivery

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> datetime:
    """Return a time that clocks in Berlin show, in UTC as everywhere in the service."""
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).astimezone(UTC)


@pytest.mark.parametrize(
    ("start", "end", "now", "until"),
    [
        ("22:00", "07:00", "2026-11-20T23:30", "2026-11-21T07:00"),
        ("22:00", "07:00", "2026-11-21T06:59", "2026-11-21T07:00"),
        ("22:00", "07:00", "2026-11-21T07:00", None),
        ("22:00", "07:00", "2026-11-20T21:59", None),
        ("22:00", "07:00", "2026-11-20T22:00", "2026-11-21T07:00"),
        ("12:00", "14:00", "2026-11-20T13:00", "2026-11-20T14:00"),
        ("12:00", "14:00", "2026-11-20T14:30", None),
        ("07:00", "07:00", "2026-11-20T07:00", None),
        ("", "", "2026-11-20T23:30", None),
        # The night in which clocks are set back has an hour more, and the one in March an hour less.
        ("22:00", "07:00", "2026-10-24T23:30", "2026-10-25T07:00"),
        ("22:00", "07:00", "2026-03-28T23:30", "2026-03-29T07:00"),
    ],
)
def test_quiet_hours_are_those_of_the_users_clock(start: str, end: str, now: str, until: str | None) -> None:
    preferences = StoredDelivery(quiet_from=start, quiet_until=end, time_zone="Europe/Berlin")
    assert rules.quiet_until(preferences, at(now)) == (at(until) if until else None)


@pytest.mark.parametrize(
    ("digest", "now", "due"),
    [
        ("", "2026-11-20T23:30", "2026-11-20T23:30"),
        ("18:00", "2026-11-20T17:59", "2026-11-20T18:00"),
        ("18:00", "2026-11-20T18:00", "2026-11-21T18:00"),
        ("02:30", "2026-10-24T12:00", "2026-10-25T02:30"),
    ],
)
def test_a_digest_is_due_at_the_next_time_that_the_user_chose(digest: str, now: str, due: str) -> None:
    preferences = StoredDelivery(digest_at=digest, time_zone="Europe/Berlin")
    assert rules.due_at(preferences, at(now)) == at(due)


def test_quiet_hours_end_when_the_clocks_that_were_set_back_show_their_end_again() -> None:
    preferences = StoredDelivery(quiet_from="22:00", quiet_until="02:30", time_zone="Europe/Berlin")
    # 2:15 for the second time, and 2:30 for the second time.
    now, end = datetime(2026, 10, 25, 1, 15, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert rules.quiet_until(preferences, now) == end


def test_an_unknown_time_zone_is_read_as_utc() -> None:
    preferences = StoredDelivery(digest_at="18:00", time_zone="../etc/passwd")
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    assert rules.due_at(preferences, noon) == noon + timedelta(hours=6)


def test_pauses_grow_to_six_hours_and_end_after_a_day() -> None:
    pauses = [rules.pause_after(attempt) for attempt in range(1, rules.MAX_ATTEMPTS)]
    assert [each.total_seconds() / 60 for each in pauses[:4]] == [1, 2, 4, 8]
    assert max(pauses) == timedelta(hours=6)
    assert timedelta(days=1) < sum(pauses, timedelta()) < timedelta(days=2)


@pytest.mark.parametrize(("email", "kind", "wanted"), [("a@b.c", "x", True), ("", "x", False), ("a@b.c", "y", False)])
def test_only_selected_kinds_are_sent_to_a_confirmed_address(email: str, kind: str, *, wanted: bool) -> None:
    preferences = StoredDelivery(channels={"email": ("x",)})
    assert rules.wants(Addressee("1", "Ada", email, preferences), DeliveryChannel.EMAIL, kind) is wanted
