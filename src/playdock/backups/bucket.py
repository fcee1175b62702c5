"""Backups in a part of an S3 bucket.

A backup is complete when it has its list, which is uploaded last and deleted first. There is no lock: the deletion lock
of the database keeps another backup of the same service out, and each service needs a prefix of its own.
"""

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from itertools import islice
from pathlib import Path

from playdock.backups import rules
from playdock.backups.storage import file_of
from playdock.kit.s3_location import S3Location
from playdock.storage.s3_bucket import S3Bucket
from playdock.storage.s3_objects import NoSuchObject

_BLOCK = 1024**2
# S3 deletes as many with one request.
_DELETED_AT_ONCE = 1000


class BackupBucket:
    """The backups below a URL. Dumps are written into the folder ``work`` before they are uploaded."""

    def __init__(self, bucket: S3Bucket, url: str, work: Path) -> None:
        self._bucket, self._url, self._work = bucket, url, work
        # The objects that are there, by their hash, with their size: a request for each would take too long.
        self._sizes: dict[bytes, int] = {}

    def place(self, name: str = "") -> str:
        return f"{self._url}/{name}".rstrip("/")

    @contextmanager
    def prepared(self) -> Iterator[None]:
        for name in self._folders():
            if rules.is_name(name) and not self.contains(name):
                self._delete_files(name)
        self._sizes = {bytes.fromhex(sha256): size for sha256, size in self._objects()}
        shutil.rmtree(self._work, ignore_errors=True)
        try:
            yield
        finally:
            shutil.rmtree(self._work, ignore_errors=True)

    def complete_names(self) -> list[str]:
        return [name for name in self._folders() if self.contains(name)]

    def contains(self, name: str) -> bool:
        try:
            self._bucket.find(f"{name}/{rules.LIST}")
        except NoSuchObject:
            return False
        return True

    def begin(self, name: str) -> Path:  # noqa: ARG002 - it gets its name when it is uploaded
        self._work.mkdir(mode=0o700, parents=True)
        return self._work

    def complete(self, work: Path, name: str, *, check: Callable[[], None]) -> None:
        files = [path for path in work.rglob("*") if path.is_file()]
        for path in sorted(files, key=lambda path: path == work / rules.LIST):
            with path.open("rb") as file:
                self._bucket.write(f"{name}/{path.relative_to(work)}", _checked(file, check))

    def delete(self, name: str) -> None:
        self._bucket.delete(f"{name}/{rules.LIST}")
        self._delete_files(name)

    def read(self, file: str) -> Iterator[bytes]:
        try:
            yield from self._bucket.read(self._bucket.find(file))
        except NoSuchObject:
            raise FileNotFoundError(self.place(file)) from None

    def local(self, file: str, *, into: Path) -> Path:
        into.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = into / Path(file).name
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as written:
            written.writelines(self.read(file))
        return path

    def has(self, sha256: str, size: int) -> bool:
        return self._sizes.get(bytes.fromhex(sha256)) == size

    def put(self, sha256: str, pieces: Iterable[bytes]) -> None:
        self._sizes[bytes.fromhex(sha256)] = self._bucket.write(file_of(sha256), pieces)

    def delete_objects(self, *, except_of: Collection[bytes], check: Callable[[], None]) -> None:
        surplus = (sha256 for sha256, _size in self._objects() if bytes.fromhex(sha256) not in except_of)
        # The listing must be complete: it would skip objects if others were deleted during it.
        self._delete_all([file_of(sha256) for sha256 in surplus], check=check)

    def _folders(self) -> list[str]:
        return [name for name in self._bucket.folder("").folders if name != rules.SHARED]

    def _objects(self) -> Iterator[tuple[str, int]]:
        for each in self._bucket.list(rules.SHARED):
            name = each.key.rpartition("/")[2]
            if rules.is_hash(name) and each.key == file_of(name):
                yield name, each.size

    def _delete_files(self, name: str) -> None:
        self._delete_all([each.key for each in self._bucket.list(name)])

    def _delete_all(self, keys: Iterable[str], *, check: Callable[[], None] = lambda: None) -> None:
        remaining = iter(keys)
        while some := list(islice(remaining, _DELETED_AT_ONCE)):
            check()
            self._bucket.delete(*some)


def open_bucket(location: S3Location, *, work: Path) -> BackupBucket:
    """Return the backups at a location, without connecting yet."""
    return BackupBucket(S3Bucket(location), location.url, work)


def _checked(file: BufferedReader, check: Callable[[], None]) -> Iterator[bytes]:
    """Yield the content of a file, after a check each time."""
    check()
    while piece := file.read(_BLOCK):
        yield piece
        check()
