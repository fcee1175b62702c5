"""Work on many objects at the same time."""

import threading
from collections.abc import Iterator

import pytest

from playdock.backups.parallel import results

_PATIENCE = 120


def test_results_come_in_the_order_of_the_items() -> None:
    assert list(results(lambda number: number * 2, range(1000))) == [number * 2 for number in range(1000)]


def test_several_are_worked_on_at_the_same_time_but_some_alone() -> None:
    together, busy, most = threading.Barrier(2), [0], dict.fromkeys((True, False), 0)
    lock = threading.Lock()

    def work(number: int) -> None:
        with lock:
            busy[0] += 1
            most[number < 0] = max(most[number < 0], busy[0])
        if number >= 0:
            together.wait(_PATIENCE)
        with lock:
            busy[0] -= 1

    list(results(work, [0, 1, -1, -2, 2, 3], alone=lambda number: number < 0))
    assert (most[True], most[False]) == (1, 2)


def test_an_error_ends_the_work_and_no_more_is_begun_than_a_few_hundred() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for number in range(10_000):
            taken = number
            yield number

    with pytest.raises(ZeroDivisionError):
        list(results(lambda number: 1 // (number - 5), items()))
    assert taken < 1000
