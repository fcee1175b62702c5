"""Which folders are on file systems that report no changes, because other machines make them."""

import re
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
# Network file systems, and those of virtual machines and containers that share folders of their host.
_REMOTE = re.compile(
    r"nfs\d?|cifs|smb\w*|fuse(\..*)?|fuseblk|9p|virtiofs|vboxsf|prl_fs|ceph|glusterfs|lustre|afs|drvfs"
)
_ESCAPED = re.compile(r"\\([0-7]{3})")


def is_remote(folder: Path, mounts: str) -> bool:
    """Return whether the last mount that contains a folder is remote; ``mounts`` is the content of mountinfo(5)."""
    found, kind = -1, ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if "-" not in fields or len(fields) <= fields.index("-") + 1:
            continue
        point = Path(_ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4]))
        if folder.is_relative_to(point) and len(point.parts) >= found:
            found, kind = len(point.parts), fields[fields.index("-") + 1]
    return _REMOTE.fullmatch(kind) is not None


def reports_changes(folder: Path) -> bool:
    """Return whether the system reports all changes in a folder. Only Linux says how a folder is mounted."""
    try:
        return not is_remote(folder.resolve(), _MOUNTS.read_text(errors="surrogateescape"))
    except OSError:
        return False
