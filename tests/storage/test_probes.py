"""Probing paths that may hang."""

import threading

import pytest

from playdock.storage.probes import ProbePool


@pytest.fixture
def probes() -> ProbePool[str]:
    return ProbePool()


def test_results_are_returned_by_path(probes: ProbePool[str]) -> None:
    assert probes.probe({"attic": lambda: "dust", "cellar": lambda: "wine"}, seconds=30) == {
        "attic": "dust",
        "cellar": "wine",
    }


def test_a_path_that_hangs_blocks_one_thread_and_no_other_path(probes: ProbePool[str]) -> None:
    back, looks = threading.Event(), list[int]()

    def hang() -> str:
        looks.append(1)
        back.wait(120)
        return "dust"

    for _ in range(3):
        assert probes.probe({"attic": hang, "cellar": lambda: "wine"}, seconds=0.2) == {"cellar": "wine"}
    back.set()

    assert probes.probe({"attic": lambda: "dust"}, seconds=30) == {"attic": "dust"}
    assert len(looks) == 1


def test_a_finished_probe_is_started_again(probes: ProbePool[str]) -> None:
    assert probes.probe({"attic": lambda: "dust"}, seconds=30) == {"attic": "dust"}
    assert probes.probe({"attic": lambda: "gold"}, seconds=30) == {"attic": "gold"}


def test_an_exception_of_a_probe_is_raised(probes: ProbePool[str]) -> None:
    def fail_later() -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        probes.probe({"attic": fail_later}, seconds=30)
