"""Pure decisions about backups: their format, which of them are kept, and when the next one is due."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, time, timedelta

from msgspec import Struct

TASK_TYPE = "backup:service"
# The format of the lists. A release reads those of its own and of all earlier formats.
FORMAT = 1
# Which blobs a backup contains.
KINDS = ("layers", "manifests", "objects", "patches", "patchlists")
LIST = "list.json"
OBJECTS = "objects.txt"
SECRETS = "secrets"
# The names of dumps: of SQLite, and of PostgreSQL.
DATABASES = ("database.sqlite3", "database.dump")
# Where the objects of all backups are.
SHARED = "objects"
# The folder in DATA_DIR for the files of a backup in S3 that is being made or restored.
WORK = "backup-unfinished"
# The names of backups.
_NAME = re.compile(r"(\d{4}-\d\d-\d\dT\d{6}Z)(?:-(\d+))?")
_SECRET = re.compile(rf"{SECRETS}/[^/]+")
_HASH = re.compile(r"[0-9a-f]{64}")
# A clock of a file server may differ from that of the service by less than this.
_CLOCK_DIFFERENCE = timedelta(hours=1)
_OBJECT = re.compile(r"([0-9a-f]{64}) (\d+) ([a-z]+/[0-9a-f][0-9a-f-]{15,127})")


class StoredFile(Struct, frozen=True):
    """A file of a backup: its path in the backup's folder, its size in bytes, and its SHA-256 hash."""

    path: str
    size: int
    sha256: str


class BackupList(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a backup consists of, except for its objects. ``settings`` are the names of those that were set."""

    format: int
    release: str
    schema: str
    database: str
    created: datetime
    objects: int
    object_bytes: int
    files: tuple[StoredFile, ...]
    settings: tuple[str, ...]


class StoredObjectLine(Struct, frozen=True):
    """A line of the list of objects."""

    sha256: str
    size: int
    key: str

    def __str__(self) -> str:
        return f"{self.sha256} {self.size} {self.key}"


def line_of(text: str) -> StoredObjectLine:
    """Parse a line of the list of objects.

    Raises:
        ValueError: it is not one.
    """
    found = _OBJECT.fullmatch(text.rstrip("\n"))
    if found is None:
        raise ValueError(text)
    return StoredObjectLine(found.group(1), int(found.group(2)), found.group(3))


def is_whole(listed: BackupList) -> bool:
    """Return whether a list names the files that a backup has: a dump, its secrets, and the list of its objects."""
    paths = [file.path for file in listed.files]
    return len(paths) > 1 and paths[0] in DATABASES and paths[-1] == OBJECTS and all(map(_is_secret, paths[1:-1]))


def _is_secret(path: str) -> bool:
    return _SECRET.fullmatch(path) is not None and path.rpartition("/")[2] not in (".", "..")


def name_of(moment: datetime, *, taken: Collection[str]) -> str:
    """Return the name of a backup that is later than those of the same second."""
    name = f"{moment.astimezone(UTC):%Y-%m-%dT%H%M%SZ}"
    found = [match for each in taken if (match := _NAME.fullmatch(each)) and match[1] == name]
    return f"{name}-{max(map(_number, found)) + 1}" if found else name


def is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def in_order(names: Iterable[str]) -> list[str]:
    """Return the names of backups, oldest first; other names are left out."""
    found = [match for name in names if (match := _NAME.fullmatch(name))]
    return [match[0] for match in sorted(found, key=lambda match: (match[1], _number(match)))]


def _number(match: re.Match[str]) -> int:
    """Return which backup of its second a name stands for."""
    return int(match[2] or 1)


def is_hash(name: str) -> bool:
    return _HASH.fullmatch(name) is not None


def surplus(names: Iterable[str], *, new: str, kept: int) -> Sequence[str]:
    """Return the oldest of some backups, so that with the new one the number ``kept`` remains; none if that is 0.

    The name of another one may be later, if a clock was ahead.
    """
    others = [name for name in in_order(names) if name != new]
    return others[: max(0, len(others) - kept + 1)] if kept else []


def may_have_changed(modified: float, *, previous: datetime) -> bool:
    """Return whether an object may have been written after the previous backup read it."""
    return modified >= (previous - _CLOCK_DIFFERENCE).timestamp()


def hashes_by_key(known: Iterable[StoredObjectLine], keys: Iterable[str]) -> Iterator[StoredObjectLine | None]:
    """Yield for each key its line in a list, None if it has none. Both are sorted, so that none is held in memory."""
    lines = iter(known)
    line = next(lines, None)
    for key in keys:
        while line is not None and line.key < key:
            line = next(lines, None)
        yield line if line is not None and line.key == key else None


def is_due(now: datetime, *, at: time, last: datetime | None) -> bool:
    """Return whether the time of day ``at``, in the time zone of ``now``, has come since the last backup."""
    latest = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    if latest > now:
        latest -= timedelta(days=1)
    return last is None or last < latest
