"""Whether the machine is idle."""

import os

import pytest

from playdock.kit.machine import is_idle


@pytest.mark.parametrize(("load", "idle"), [(0.0, True), (1.9, True), (2.0, False), (30.0, False)])
def test_a_machine_is_idle_while_a_processor_has_nothing_to_do(
    monkeypatch: pytest.MonkeyPatch, load: float, *, idle: bool
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    assert is_idle() is idle


def test_a_machine_with_an_unknown_load_counts_as_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> tuple[float, float, float]:
        raise OSError

    monkeypatch.setattr(os, "getloadavg", fail)
    assert is_idle()
