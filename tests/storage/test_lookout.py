"""Looking at places that may hang."""

import threading

import pytest

from playdock.storage.lookout import Lookout


@pytest.fixture
def lookout() -> Lookout[str]:
    return Lookout()


def test_what_is_seen_is_told_by_its_place(lookout: Lookout[str]) -> None:
    assert lookout.look({"attic": lambda: "dust", "cellar": lambda: "wine"}, seconds=30) == {
        "attic": "dust",
        "cellar": "wine",
    }


def test_a_place_that_hangs_keeps_nobody_from_the_others_and_one_thread_busy(lookout: Lookout[str]) -> None:
    back, looks = threading.Event(), list[int]()

    def hang() -> str:
        looks.append(1)
        back.wait(30)
        return "dust"

    for _ in range(3):
        assert lookout.look({"attic": hang, "cellar": lambda: "wine"}, seconds=0.2) == {"cellar": "wine"}
    back.set()

    assert lookout.look({"attic": lambda: "dust"}, seconds=30) == {"attic": "dust"}
    assert len(looks) == 1


def test_a_place_is_looked_at_anew_each_time(lookout: Lookout[str]) -> None:
    assert lookout.look({"attic": lambda: "dust"}, seconds=30) == {"attic": "dust"}
    assert lookout.look({"attic": lambda: "gold"}, seconds=30) == {"attic": "gold"}


def test_a_look_that_fails_fails_for_whoever_looked(lookout: Lookout[str]) -> None:
    def stumble() -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        lookout.look({"attic": stumble}, seconds=30)
