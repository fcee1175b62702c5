"""The load and the memory of the machine."""

import os
import sys
from pathlib import Path

_MEMORY = Path("/proc/meminfo")
# Control groups of version 2 (Linux kernel, cgroup-v2.rst): the own one, below the root that this process sees.
_OWN_GROUP = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")
# What the kernel can free at any time.
_RECLAIMABLE = frozenset({"active_file", "inactive_file", "slab_reclaimable"})


def is_idle() -> bool:
    """Return whether on average of the last minute at least one processor had nothing to do."""
    try:
        return os.getloadavg()[0] < (os.cpu_count() or 1)
    except OSError:
        # Unknown on this system.
        return True


def available_memory() -> int:
    """Return how many bytes of memory the machine and the control groups of this process leave; 0 if unknown."""
    try:
        (line,) = (line for line in _MEMORY.read_text().splitlines() if line.startswith("MemAvailable:"))
        available = int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return 0
    return min([available, *map(_left_in, _groups())])


def _groups() -> list[Path]:
    """Return the folders of this process's control group and those above it."""
    try:
        lines = _OWN_GROUP.read_text().splitlines()
    except OSError:
        return []
    own = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), "")
    folder = _GROUPS / own
    return [folder, *(each for each in folder.parents if each.is_relative_to(_GROUPS))]


def _left_in(group: Path) -> int:
    """Return how much memory the limit of a control group leaves; very much if it has none."""
    try:
        limit, used = (int((group / name).read_text()) for name in ("memory.max", "memory.current"))
        counters = (line.split() for line in (group / "memory.stat").read_text().splitlines())
        reclaimable = sum(int(count) for name, count in counters if name in _RECLAIMABLE)
    except (OSError, ValueError):
        return sys.maxsize
    return max(limit - used + reclaimable, 0)
