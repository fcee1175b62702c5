"""Making patches: continued after an interruption, and again with more effort on an idle machine."""

from datetime import timedelta
from typing import Any

import pytest

from patching import KIB, OLD, Doom, Files, edited, noise
from playdock.content.patches import compress
from playdock.features.patches.service import part_key
from playdock.kit.messages import Message
from playdock.tasks.errors import RetryableFailure
from world import World


@pytest.fixture
def game(world: World) -> Doom:
    return Doom.at(world)


LARGE_OLD: Files = {"doom": noise(1), "data": noise(2, 2000 * KIB)}
LARGE_NEW: Files = {"doom": edited(noise(1)), "data": noise(9, 1500 * KIB) + bytes(900 * KIB)}


def improved(game: Doom) -> list[bool | None]:
    """Whether the tasks succeeded that make patches smaller, after they have ended."""
    while not (tasks := game.tasks("patch:improve")) or not all(task["ended"] for task in tasks):
        pass
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
    assert set(game.stored()) == {smaller["id"]}
    assert game.stored("patchparts") == []


def test_an_interrupted_task_does_not_compress_a_segment_again(game: Doom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playdock.content.patches.MAX_PLAIN_BYTES", 200 * KIB)
    old = game.add("1.0", OLD)
    calls: list[bytes] = []

    def compress_two(plain: bytes, *others: Any) -> bytes:
        calls.append(plain)
        if len(calls) == 3:
            raise RetryableFailure("Interrupted", Message("library-away"))
        return compress(plain, *others)

    monkeypatch.setattr("playdock.features.patches.tasks.compress", compress_two)
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


def test_parts_of_a_task_that_failed_are_swept(game: Doom) -> None:
    game.world.services.blobs.put(part_key("0" * 36, "1" * 32), [b"part"])
    assert game.world.services.patches.sweep(before=game.world.clock() + timedelta(days=1)) == 1
    assert game.stored("patchparts") == []
