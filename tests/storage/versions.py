"""The content of test versions, and running code without read permission."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from playdock.storage.locations import VersionLocation

NOBODY = 65534
FILES = {
    "game.exe": Random(1).randbytes(3_000_000),
    "data/empty": b"",
    "data/levels/1.pak": Random(2).randbytes(70_000),
    "data/zeros.bin": bytes(1_500_000),
    "read me.txt": b"Have fun.\n",
    "\u00fc.txt": b"umlaut",
}


@contextmanager
def without_permissions() -> Iterator[None]:
    """Run as an unprivileged user if the tests run as root, whom permissions do not restrict."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


def at(path: Path) -> VersionLocation:
    """Return the location of a version in a library that is the folder around it."""
    return VersionLocation(path.parent, path.name)
