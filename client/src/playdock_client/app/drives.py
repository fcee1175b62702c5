"""The disks on which games can be installed."""

import hashlib
import os
import shutil
import string
import sys
from collections.abc import Iterable
from pathlib import Path

from playdock_client.responses import ApiStruct

GAMES_FOLDER = "Playdock"
_MOUNTS = Path("/proc/self/mounts")
# Where desktops mount the user's own disks and SD cards; other mounts belong to the system.
_USER_MOUNTS = ("/media/", "/run/media/", "/mnt/")


class Drive(ApiStruct, frozen=True):
    """A disk: the folder for games on it, its free bytes, and an id by which pages select it."""

    id: str
    path: str
    free: int


def drives() -> list[Drive]:
    """Return the disks that this user can write to, besides that of the default folder."""
    found = []
    for root in _roots():
        try:
            if os.access(root, os.W_OK):
                found.append(Drive(drive_id(root), str(root / GAMES_FOLDER), shutil.disk_usage(root).free))
        except OSError:
            continue
    return found


def drive_id(root: Path) -> str:
    return hashlib.sha256(str(root).encode(errors="surrogateescape")).hexdigest()[:16]


def _roots() -> Iterable[Path]:
    if sys.platform == "win32":
        return [root for letter in string.ascii_uppercase if (root := Path(f"{letter}:\\")).is_dir()]
    if sys.platform == "darwin":
        return sorted(each for each in Path("/Volumes").iterdir() if not each.is_symlink())
    return mount_points(_MOUNTS.read_text(errors="surrogateescape") if _MOUNTS.exists() else "")


def mount_points(mounts: str) -> list[Path]:
    r"""Return the user's mount points in the text of ``/proc/self/mounts``, where a space is written as ``\040``."""
    points = [fields[1] for line in mounts.splitlines() if len(fields := line.split(" ")) > 1]
    decoded = [point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\") for point in points]
    return sorted({Path(point) for point in decoded if point.startswith(_USER_MOUNTS)})
