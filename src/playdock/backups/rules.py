"""Pure decisions about backups: their format, which of them are kept, and when the next one is due."""

import re
from collections.abc import Iterable, Iterator, Sequence
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
# Where the objects of all backups are.
SHARED = "objects"
# The folder in DATA_DIR for the files of a backup in S3 that is being made or restored.
WORK = "backup-unfinished"
# The names of backups.
_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z(-\d+)?")
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


def name_of(moment: datetime, *, taken: Sequence[str]) -> str:
    """Return the name of a backup that no other one has."""
    name = f"{moment.astimezone(UTC):%Y-%m-%dT%H%M%SZ}"
    number = sum(each == name or each.startswith(f"{name}-") for each in taken)
    return f"{name}-{number + 1}" if number else name


def is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def is_hash(name: str) -> bool:
    return _HASH.fullmatch(name) is not None


def surplus(names: Sequence[str], *, kept: int) -> Sequence[str]:
    """Return the oldest of some backups, so that the number ``kept`` remains; none if that is 0."""
    return sorted(names)[:-kept] if kept else []


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
