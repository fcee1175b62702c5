"""Times: conversion to UTC and formatting."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.kit.clock import as_utc, timestamp, utc_now

EAST, WEST = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "written"),
    [
        (NOON, "2026-11-20T12:00:00.000Z"),
        (NOON.replace(microsecond=123_999), "2026-11-20T12:00:00.123Z"),
        (NOON.astimezone(EAST), "2026-11-20T12:00:00.000Z"),
    ],
)
def test_a_timestamp_is_in_utc_with_milliseconds(moment: datetime, written: str) -> None:
    assert timestamp(moment) == written


def test_a_naive_time_is_taken_as_utc() -> None:
    assert as_utc(NOON.replace(tzinfo=None)) == NOON


def test_the_current_time_is_aware() -> None:
    assert utc_now().tzinfo is UTC


@given(st.datetimes(timezones=st.sampled_from([EAST, WEST, UTC])))
def test_every_aware_time_is_converted_to_utc(moment: datetime) -> None:
    assert as_utc(moment).tzinfo is UTC
    assert abs(as_utc(moment) - moment) < timedelta(days=1)


def test_a_time_beyond_the_range_becomes_its_limit() -> None:
    assert as_utc(datetime(1, 1, 1, tzinfo=EAST)).year == 1
    assert as_utc(datetime(9999, 12, 31, 23, tzinfo=WEST)).year == 9999
