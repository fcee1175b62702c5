"""Differences are made in a process that ends if it takes too long, or if nobody needs the result any more."""

import os
import time
from pathlib import Path
from random import Random

import pytest
import zstandard

from playdock.content.patches import Effort
from playdock.storage import difference_process, differences
from playdock.storage.differences import make_difference
from playdock_client.differences import apply_difference


class Canceled(Exception):
    """Nobody needs the result any more."""


def repeating(size: int) -> tuple[bytes, bytes]:
    """Return old bytes that occur almost twice, and new ones: bsdiff would take hours."""
    once = Random(1).randbytes(size)
    again = bytearray(once)
    again[-1] ^= 1
    again[-5] ^= 1
    return once + bytes(again), bytes(again)


def children() -> set[int]:
    """Return the ids of this process's running children."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, _, rest = status.read_text().rpartition(")")
        except OSError:
            continue
        if int(rest.split()[1]) == os.getpid():
            found.add(int(status.parent.name))
    return found


def test_a_difference_is_made_in_another_process() -> None:
    old = Random(1).randbytes(300_000)
    new = old[200_000:] + b"new" + old[:200_000]
    frame = make_difference(new, old, Effort.QUICK, check=lambda: None)
    assert frame is not None
    assert len(frame) < 1000
    assert apply_difference(zstandard.decompress(frame), old, size=len(new)) == new


def test_a_process_is_ended_if_the_task_is_canceled() -> None:
    old, new = repeating(4_000_000)
    before = children()
    checks: list[float] = []

    def check() -> None:
        checks.append(time.monotonic())
        if len(checks) == 3:
            assert children() > before
            raise Canceled

    with pytest.raises(Canceled):
        make_difference(new, old, Effort.QUICK, check=check)
    assert children() == before


def test_what_takes_too_much_time_has_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    limited = (
        "import sys; from playdock.storage import difference_process as process; "
        "process._PROCESSOR_SECONDS = 2; process.main()"
    )
    assert difference_process._PROCESSOR_SECONDS > 2
    monkeypatch.setattr(differences, "_COMMAND", (*differences._COMMAND[:2], "-c", limited))
    old, new = repeating(4_000_000)
    assert make_difference(new, old, Effort.QUICK, check=lambda: None) is None


def test_what_takes_too_much_memory_has_no_difference() -> None:
    assert make_difference(b"new", bytes(120_000_000), Effort.QUICK, check=lambda: None) is None
