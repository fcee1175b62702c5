"""Making patches: continued after an interruption, and again with more effort on an idle machine."""

import json
import struct
import time
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from patching import KIB, OLD, Doom, Files, edited, noise
from playdock.content.patches import Effort, compress
from playdock.features.patches.service import part_key
from playdock.features.patches.tasks import PatchVersion
from playdock.kit.messages import Message
from playdock.storage.differences import make_difference
from playdock.tasks.errors import RetryableFailure
from waiting import wait_until
from world import World


@pytest.fixture
def game(world: World) -> Doom:
    return Doom.at(world)


LARGE_OLD: Files = {"doom": noise(1), "data": noise(2, 2000 * KIB)}
LARGE_NEW: Files = {"doom": edited(noise(1)), "data": noise(9, 1500 * KIB) + bytes(900 * KIB)}


MUCH, LITTLE = 2**34, 2**20


def program(*, shift: int, size: int = 60_000) -> bytes:
    """Return a program for Linux as a compiler would make it again: code, and addresses that are shifted."""
    random = Random(5)
    code = (random.randbytes(9) + struct.pack("<I", random.randrange(2**20) + shift) for _ in range(size))
    return b"\x7fELF\x02\x01\x01" + bytes(57) + b"".join(code)


def improved(game: Doom) -> list[bool | None]:
    """Whether the tasks succeeded that make patches smaller, after they have ended."""
    deadline = time.monotonic() + 300
    while not (tasks := game.tasks("patch:improve")) or not all(task["ended"] for task in tasks):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return [task["success"] for task in tasks]


def test_a_large_set_is_replaced_by_a_smaller_one_on_an_idle_machine(
    game: Doom, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = [1000.0]
    monkeypatch.setattr("os.getloadavg", lambda: (load[0], 0.0, 0.0))
    old, new = game.add("1.0", LARGE_OLD), game.add("1.1", LARGE_NEW)
    assert [task["success"] for task in game.rest()] == [True]
    quick = game.patches(old, new)

    load[0] = 0.0
    assert improved(game) == [True]

    smaller = game.patches(old, new)
    assert smaller["id"] != quick["id"]
    assert smaller["size"] <= quick["size"]
    assert game.updated(smaller, LARGE_OLD) == LARGE_NEW
    wait_until(lambda: set(game.stored()) == {smaller["id"]})
    wait_until(lambda: game.stored("patchparts") == [])


OLDER: Files = {"doom": program(shift=0)}
NEWER: Files = {"doom": program(shift=4096)}


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The load of a machine that is not idle yet, for patches of which any size is worth improving."""
    load = [1000.0]
    monkeypatch.setattr("os.getloadavg", lambda: (load[0], 0.0, 0.0))
    monkeypatch.setattr("playdock.features.patches.service._MIN_BYTES_TO_IMPROVE", 1)
    return load


def until_tried(game: Doom, count: int) -> None:
    """Wait until as many tasks that improve patches have ended."""
    wait_until(lambda: sum(bool(task["ended"]) for task in game.tasks("patch:improve")) == count)


@pytest.mark.parametrize(("memory", "differences"), [(MUCH, 1), (LITTLE, 0)])
def test_programs_have_differences_before_the_machine_is_idle_if_there_is_memory(
    game: Doom, busy: list[float], monkeypatch: pytest.MonkeyPatch, memory: int, differences: int
) -> None:
    monkeypatch.setattr("playdock.features.patches.parts.available_memory", lambda: memory)
    old, new = game.add("1.0", OLDER), game.add("1.1", NEWER)
    game.rest()
    quick = game.patches(old, new)
    assert (len(quick["segments"]), quick["differences"]) == (1, []), "nobody waits for differences"
    until_tried(game, 1)

    listed = game.patches(old, new)
    task = game.tasks("patch:improve")[0]
    log = json.dumps(game.admin.get(f"/api/v1/task/{task['id']}").json()["log"])
    assert ("available memory" in log, "remain" in log) == (differences == 0, differences == 0)
    assert (len(listed["segments"]), len(listed["differences"])) == (1 - differences, differences)
    assert (listed["size"] < len(compress(NEWER["doom"], OLDER["doom"], Effort.HIGH)) / 2) == bool(differences)
    assert game.updated(listed, OLDER) == NEWER
    busy[0] = 0.0
    assert improved(game) == [True, True], "and with high effort once it is idle"


def test_differences_do_not_wait_for_high_effort(
    game: Doom, busy: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playdock.features.patches.parts.available_memory", lambda: MUCH)
    monkeypatch.setattr("playdock.features.patches.parts._MAX_WAIT_SECONDS", 600.0)
    game.add("1.0", OLDER)
    old = game.add("1.1", NEWER)
    until_tried(game, 1)
    wait_until(lambda: len(game.tasks("patch:improve")) == 2)

    new = game.add("1.2", {"doom": program(shift=8192)})
    until_tried(game, 2)

    assert len(game.patches(old, new)["differences"]) == 1
    assert [task["ended"] for task in game.tasks("patch:improve")].count(None) == 2, "the machine is not idle"
    busy[0] = 0.0
    assert improved(game) == [True] * 4


def test_a_set_without_programs_is_improved_once(game: Doom, busy: list[float]) -> None:
    busy[0] = 0.0
    game.add("1.0", LARGE_OLD), game.add("1.1", LARGE_NEW)
    game.rest()
    assert improved(game) == [True]


def test_a_better_set_is_never_replaced(game: Doom, busy: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    memory = [MUCH]
    monkeypatch.setattr("playdock.features.patches.parts.available_memory", lambda: memory[0])
    old, new = game.add("1.0", OLDER), game.add("1.1", NEWER)
    game.rest()
    until_tried(game, 1)
    better = game.patches(old, new)
    busy[0], memory[0] = 0.0, LITTLE

    assert improved(game) == [True, True]

    kept = game.patches(old, new)
    assert (kept["id"], len(kept["differences"])) == (better["id"], 1)
    wait_until(lambda: set(game.stored()) == {kept["id"]})
    wait_until(lambda: game.stored("patchparts") == [])


def test_a_larger_set_is_better_if_it_covers_more(
    game: Doom, busy: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playdock.features.patches.parts.available_memory", lambda: MUCH)
    monkeypatch.setattr("playdock.content.patches.MAX_PLAIN_BYTES", 400 * KIB)
    sizes = [len(compress(NEWER["doom"], OLDER["doom"], effort)) for effort in Effort]
    # The first segment fits, the second one only as a difference.
    monkeypatch.setattr(PatchVersion, "_most_of_a_set", sizes[0] * 2 // 3)
    old, new = game.add("1.0", OLDER), game.add("1.1", NEWER)
    game.rest()
    quick = game.patches(old, new)
    until_tried(game, 1)
    more = game.patches(old, new)
    assert len(quick["segments"]) < len(more["differences"])
    assert game.updated(more, OLDER) == NEWER


def test_an_interrupted_task_does_not_compress_a_segment_again(game: Doom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playdock.content.patches.MAX_PLAIN_BYTES", 200 * KIB)
    old = game.add("1.0", OLD)
    calls: list[bytes] = []

    def compress_two(plain: bytes, *others: Any) -> bytes:
        calls.append(plain)
        if len(calls) == 3:
            raise RetryableFailure("Interrupted", Message("library-away"))
        return compress(plain, *others)

    monkeypatch.setattr("playdock.features.patches.parts.compress", compress_two)
    files = {**OLD, "doom": edited(noise(1)), "data/e1m1.wad": edited(noise(2))}
    new = game.add("1.1", files)
    task = game.tasks()[0]["id"]
    while len(calls) < 3 or not game.admin.get(f"/api/v1/task/{task}").json()["log"]:
        pass
    later = game.world.clock() + timedelta(days=2)
    assert game.world.services.patches.sweep(before=later) == 0
    game.world.clock.advance(seconds=3)

    assert game.world.finish(game.admin, task)["success"]
    assert calls[3] == calls[2]
    assert len(set(calls)) == len(calls) - 1
    assert game.updated(game.patches(old, new), OLD) == files


def test_an_interrupted_task_does_not_make_a_difference_again(
    game: Doom, busy: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playdock.features.patches.parts.available_memory", lambda: MUCH)
    monkeypatch.setattr("playdock.content.patches.MAX_PLAIN_BYTES", 200 * KIB)
    calls: list[bytes] = []

    def make_two(plain: bytes, *others: Any, **check: Any) -> bytes | None:
        calls.append(plain)
        if len(calls) == 2:
            raise RetryableFailure("Interrupted", Message("library-away"))
        return make_difference(plain, *others, **check)

    monkeypatch.setattr("playdock.features.patches.parts.make_difference", make_two)
    older, newer = {"doom": program(shift=0, size=200_000)}, {"doom": program(shift=4096, size=200_000)}
    old, new = game.add("1.0", older), game.add("1.1", newer)
    deadline = time.monotonic() + 300
    while len(calls) < 2 or not game.admin.get(f"/api/v1/task/{game.tasks('patch:improve')[0]['id']}").json()["log"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    game.world.clock.advance(seconds=3)

    until_tried(game, 1)
    assert calls[2] == calls[1] != calls[0]
    assert len(set(calls)) == len(calls) - 1
    listed = game.patches(old, new)
    assert (listed["segments"], len(listed["differences"])) == ([], len(calls) - 1)
    assert game.updated(listed, older) == newer
    wait_until(lambda: game.stored("patchparts") == [])


def test_parts_of_a_task_that_failed_are_swept(game: Doom) -> None:
    game.world.services.blobs.put(part_key("0" * 36, "1" * 32), [b"part"])
    assert game.world.services.patches.sweep(before=game.world.clock() + timedelta(days=1)) == 1
    assert game.stored("patchparts") == []
