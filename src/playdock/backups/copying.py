"""Copying the objects of the service into a backup."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import datetime
from itertools import tee
from pathlib import Path
from typing import TextIO

from msgspec import Struct, field

from playdock.backups import rules
from playdock.backups.errors import BackupUnreadable
from playdock.backups.parallel import results
from playdock.backups.rules import StoredObjectLine
from playdock.backups.storage import BackupStorage, lines_of, names_of, open_backup
from playdock.storage.blobs import BlobEntry, Blobs, NoSuchBlob

# Objects in S3 are read through the cache of this machine, which may have room for one of these only.
_LARGE_BYTES = 8 * 1024**2

# Is called often with the share of the work that is done, from 0 to 1, and may raise to end it.
Progress = Callable[[float], None]


class Copying(Struct):
    """Copies the objects that the storage does not have yet, and writes the list of all.

    ``share`` is the part of the work that has begun.
    """

    blobs: Blobs
    target: BackupStorage
    progress: Progress
    share: float = 0.0
    objects: int = 0
    total_bytes: int = 0
    new_bytes: int = 0
    new_hashes: set[bytes] = field(default_factory=set)

    def copy(self, listing: Path) -> "Copying":
        """Copy the objects, and write their list into a new file."""
        previous, since = self._previous()
        entries, again = tee(self._entries())
        pairs = zip(entries, rules.hashes_by_key(previous, (each.key for each in again)), strict=True)
        stored = results(
            lambda pair: self._stored(pair[0], pair[1], since), pairs, alone=lambda pair: pair[0].size > _LARGE_BYTES
        )
        with _new_text(listing) as file, closing(stored):
            for line, is_new in stored:
                self.progress(self.share)
                if line is not None:
                    self._count(line, is_new=is_new)
                    file.write(f"{line}\n")
        return self

    def _previous(self) -> tuple[Iterator[StoredObjectLine], datetime | None]:
        """Return the objects of the newest backup that can be read, and when it was made."""
        for name in reversed(names_of(self.target)):
            try:
                created = open_backup(self.target, name).listed.created
                for _line in lines_of(self.target, name):
                    pass
            except BackupUnreadable:
                continue
            return lines_of(self.target, name), created
        return iter(()), None

    def _entries(self) -> Iterator[BlobEntry]:
        for number, kind in enumerate(sorted(rules.KINDS)):
            for entry in self.blobs.entries(kind):
                # Names begin with two evenly distributed hexadecimal digits.
                self.share = (number + int(entry.key.partition("/")[2][:2], 16) / 256) / len(rules.KINDS)
                yield entry

    def _stored(
        self, entry: BlobEntry, known: StoredObjectLine | None, since: datetime | None
    ) -> tuple[StoredObjectLine | None, bool]:
        """Return the line of an object, and whether it was copied now; None if somebody has deleted it by hand."""
        if known is not None and since is not None and known.size == entry.size:
            unchanged = not rules.may_have_changed(entry.modified, previous=since)
            if unchanged and self.target.has(known.sha256, known.size):
                return known, False
        return self._store(entry.key)

    def _store(self, key: str) -> tuple[StoredObjectLine | None, bool]:
        """Hash an object and copy it.

        An interrupted import may write an object again, with other content. Then it is read again.
        """
        while True:
            try:
                line = StoredObjectLine(*hash_of(self.blobs.open(key)), key)
                if self.target.has(line.sha256, line.size):
                    return line, False
                self.target.put(line.sha256, verified(self.blobs.open(key), line.sha256))
            except NoSuchBlob:
                return None, False
            except OtherContentError:
                continue
            return line, True

    def _count(self, line: StoredObjectLine, *, is_new: bool) -> None:
        self.objects, self.total_bytes = self.objects + 1, self.total_bytes + line.size
        sha256 = bytes.fromhex(line.sha256)
        # Two objects with the same content may be copied at the same time.
        if is_new and sha256 not in self.new_hashes:
            self.new_hashes.add(sha256)
            self.new_bytes += line.size


class OtherContentError(Exception):
    """A file has other content than expected."""


def verified(pieces: Iterator[bytes], sha256: str) -> Iterator[bytes]:
    """Yield pieces, and raise OtherContentError at the end if they do not have the expected hash."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
        yield piece
    if digest.hexdigest() != sha256:
        raise OtherContentError


def hash_of(pieces: Iterable[bytes]) -> tuple[str, int]:
    """Return the SHA-256 hash and the size in bytes of some content."""
    digest, size = hashlib.sha256(), 0
    for piece in pieces:
        digest.update(piece)
        size += len(piece)
    return digest.hexdigest(), size


def _new_text(path: Path) -> TextIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w", encoding="ascii")
