"""Freed memory is returned to the system."""

import os
from pathlib import Path

from playdock.kit.memory import return_freed_memory

MIB = 1024 * 1024


def resident() -> int:
    """Return the resident memory of this process in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // MIB


def test_memory_between_what_is_in_use_is_returned() -> None:
    # Too small to be mapped on their own, and every other one remains in use, at the end, too.
    blocks = [bytearray(b"\1" * 65536) for _ in range(4096)]
    used = resident()
    kept = blocks[1::2]
    del blocks
    return_freed_memory()
    assert resident() < used - 64
    assert len(kept) == 2048
