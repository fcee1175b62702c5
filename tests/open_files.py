"""What this process has open."""

from contextlib import suppress
from pathlib import Path

_DESCRIPTORS = Path("/proc/self/fd")


def open_below(folder: Path) -> list[Path]:
    """Return the open files and folders in a folder, and itself. Threads of other tests may open and close others."""
    found = []
    for descriptor in _DESCRIPTORS.iterdir():
        with suppress(FileNotFoundError):
            found.append(descriptor.readlink())
    return [path for path in found if path.is_relative_to(folder)]
