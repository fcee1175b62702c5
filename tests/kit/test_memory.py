"""Freed memory is returned to the system."""

import subprocess
import sys

import pytest

# Prints how many MiB remain of 16 large blocks that were freed, before one that is still used.
_FREEING = """
import os, sys
from pathlib import Path
from playdock.kit.memory import keep_less_memory

MIB = 1024 * 1024

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // MIB

if sys.argv[1] == "less":
    keep_less_memory()
before = resident()
# Once the C library has seen a block of this size freed, it keeps smaller ones.
block = bytes([1]) * 30 * MIB
del block
blocks = [bytes([1]) * 8 * MIB for _ in range(16)]
last = bytes([1]) * MIB
blocks.clear()
print(resident() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Other systems have other C libraries.")
def test_large_blocks_are_returned_as_soon_as_they_are_freed() -> None:
    kept, less = (
        int(subprocess.run([sys.executable, "-c", _FREEING, mode], check=True, capture_output=True, text=True).stdout)
        for mode in ("all", "less")
    )
    assert less < 16
    assert kept > 100
