"""Counting what the engine tells."""

from playdock_client.progress import Phase
from playdock_client.tally import Pace, Tally


def test_a_speed_is_the_mean_of_the_last_seconds() -> None:
    pace = Pace()
    speeds = [pace.speed(float(second), done) for second, done in enumerate([0, 100, 200, *([200] * 12)])]

    assert speeds[:3] == [0.0, 100.0, 100.0]
    assert speeds[-1] == 0.0


def test_a_moment_that_comes_twice_has_no_speed() -> None:
    pace = Pace()
    pace.speed(1.0, 0)

    assert pace.speed(1.0, 100) == 0.0


def test_a_phase_begins_at_nothing_while_what_was_fetched_adds_up() -> None:
    tally = Tally(lambda _: None)
    tally.begin(Phase.COPY, total=10)
    tally.advance(10, fetched=4)
    tally.begin(Phase.FETCH, total=100)
    tally.advance(30, fetched=30)
    tally.at("data/a.pak")

    reading = tally.read()

    assert (reading.phase, reading.total, reading.done, reading.fetched) == (Phase.FETCH, 100, 30, 34)
    assert reading.path == "data/a.pak"
