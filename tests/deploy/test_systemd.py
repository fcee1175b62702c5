"""The units for systemd are valid, and give the service few permissions."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from architecture.source import ROOT

UNITS = ROOT / "deploy/systemd"
PROGRAM = "/opt/playdock/.venv/bin/playdock"
# On systemd's scale from 0 to 100; services without restrictions have 96.
MAX_EXPOSURE = 20


@pytest.fixture(scope="module")
def program() -> str:
    found = shutil.which("systemd-analyze")
    if found is None:
        pytest.skip("THE SYSTEMD UNITS ARE NOT TESTED: systemd-analyze is missing. Install Debian's systemd.")
    return found


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units with a program that exists."""
    for unit in UNITS.iterdir():
        text = unit.read_text()
        (tmp_path / unit.name).write_text(text.replace(PROGRAM, sys.executable))
    return tmp_path


def _run(*command: str | Path) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "SYSTEMD_COLORS": "0", "LC_ALL": "C.UTF-8"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_units_are_valid(program: str, units: Path) -> None:
    checked = _run(program, "verify", "--man=no", units / "playdock.service", units / "playdock.socket")
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_service_has_few_permissions(program: str, units: Path) -> None:
    options = ("security", "--offline=true", f"--threshold={MAX_EXPOSURE}")
    checked = _run(program, *options, units / "playdock.service")
    assert checked.returncode == 0, checked.stdout[-300:]
