"""Counting what the engine tells."""

import pytest

from playdock_client.progress import Phase
from playdock_client.progress_meter import ProgressMeter, SpeedMeter


def test_the_speed_is_the_average_of_the_last_seconds() -> None:
    pace = SpeedMeter()
    speeds = [pace.speed(float(second), done) for second, done in enumerate([0, 100, 200, *([200] * 12)])]

    assert speeds[:3] == [0.0, 100.0, 100.0]
    assert speeds[-1] == 0.0


def test_the_speed_of_two_samples_at_the_same_time_is_zero() -> None:
    pace = SpeedMeter()
    pace.speed(1.0, 0)

    assert pace.speed(1.0, 100) == 0.0


def test_the_speed_of_a_download_is_that_of_the_received_bytes_and_the_time_left_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter([0.0, 1.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock, 1.0))
    meter = ProgressMeter(lambda _: None)
    meter.begin(Phase.FETCH, total=1000)
    meter.read()
    meter.advance(400, fetched=100)

    reading = meter.read()

    assert (reading.speed, reading.left) == (100.0, 1.5)


def test_a_new_phase_resets_its_bytes_but_not_the_received_bytes() -> None:
    meter = ProgressMeter(lambda _: None)
    meter.begin(Phase.COPY, total=10)
    meter.advance(10, fetched=4)
    meter.begin(Phase.FETCH, total=100)
    meter.advance(30, fetched=30)
    meter.at("data/a.pak")

    reading = meter.read()

    assert (reading.phase, reading.total, reading.done, reading.fetched) == (Phase.FETCH, 100, 30, 34)
    assert reading.path == "data/a.pak"
