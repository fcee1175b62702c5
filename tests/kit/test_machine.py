"""Whether the machine is idle, and how much memory is left."""

import os
from pathlib import Path

import pytest

from playdock.kit.machine import available_memory, is_idle


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


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The control group of a service on a machine with 4,000 kB."""
    groups = tmp_path / "groups"
    group = groups / "system.slice" / "playdock.service"
    group.mkdir(parents=True)
    for name, text in (
        ("_MEMORY", "MemTotal:  8000 kB\nMemFree:  10 kB\nMemAvailable:    4000 kB\n"),
        ("_OWN_GROUP", "0::/system.slice/playdock.service\n"),
    ):
        path = tmp_path / name
        path.write_text(text)
        monkeypatch.setattr(f"playdock.kit.machine.{name}", path)
    monkeypatch.setattr("playdock.kit.machine._GROUPS", groups)
    return group


def limit(group: Path, most: str, used: str, stat: str = "") -> None:
    for name, text in (("memory.max", most), ("memory.current", used), ("memory.stat", stat)):
        (group / name).write_text(text)


def test_available_memory_is_that_of_the_machine_without_limits(group: Path) -> None:
    assert available_memory() == 4000 * 1024
    limit(group, "max\n", "1000\n")
    assert available_memory() == 4000 * 1024


def test_a_control_group_limits_memory_and_can_free_its_cache(group: Path) -> None:
    limit(group, "3000\n", "2900\n", "anon 400\ninactive_file 1500\nactive_file 900\nslab_reclaimable 100\n")
    assert available_memory() == 2600
    limit(group, "3000\n", "5000\n")
    assert available_memory() == 0


def test_groups_above_limit_memory_too(group: Path) -> None:
    limit(group, "3000\n", "1000\n")
    limit(group.parent, "9000\n", "8500\n")
    assert available_memory() == 500


def test_unknown_memory_is_none(group: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit(group, "3000\n", "1000\n")
    monkeypatch.setattr("playdock.kit.machine._MEMORY", tmp_path / "missing")
    assert available_memory() == 0
