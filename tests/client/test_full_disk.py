"""Disks without room."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from client import full_disk
from client.lying_server import HostileServer, HostileVersion

LARGE = random.Random(1).randbytes(6_000_000)


def _run(hostile: HostileServer, disk: Path, *, size: str) -> subprocess.CompletedProcess[str]:
    """Run the program with a small disk of its own, or skip the test where the system does not let us have one."""
    disk.mkdir()
    mount = f"mount -t tmpfs -o size={size} none {disk}"
    try:
        subprocess.run(["unshare", "-rm", "sh", "-c", mount], check=True, capture_output=True, timeout=120)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("This system does not let us mount a small disk.")
    program = f"{mount} && exec {sys.executable} {full_disk.__file__} {hostile.address} {disk}"
    command = ["unshare", "-rm", "sh", "-c", program]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)


def test_a_full_disk_is_reported_and_the_installation_resumes_afterwards(
    hostile: HostileServer, tmp_path: Path
) -> None:
    hostile.serve(HostileVersion("v1", {"large": LARGE}))
    ended = _run(hostile, tmp_path / "disk", size="30m")

    assert "is full" in ended.stdout, ended.stderr
    assert ended.stdout.endswith("reused True\n")


def test_too_little_free_space_is_reported_before_the_download(hostile: HostileServer, tmp_path: Path) -> None:
    hostile.serve(HostileVersion("v1", {"large": LARGE}))
    ended = _run(hostile, tmp_path / "disk", size="12m")

    assert "needs 22.8 MB of free space" in ended.stdout
    assert not hostile.fetches()
