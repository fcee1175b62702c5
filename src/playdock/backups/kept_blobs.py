"""Blobs that are not deleted while a backup copies them."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime

from msgspec import Struct
from sqlalchemy.exc import SQLAlchemyError

from playdock.db.database import Database
from playdock.db.deletion_lock import deleting
from playdock.storage.blobs import BlobEntry, Blobs


class KeptBlobs(Struct, frozen=True):
    """Passes everything on, but deletes nothing during a backup: the daily cleanup does that later."""

    blobs: Blobs
    db: Database

    def put(self, key: str, pieces: Iterable[bytes]) -> int:
        return self.blobs.put(key, pieces)

    def open(self, key: str, *, block: int = 262_144) -> Iterator[bytes]:
        return self.blobs.open(key, block=block)

    def descriptor(self, key: str) -> int:
        return self.blobs.descriptor(key)

    def delete(self, key: str) -> None:
        # Without the database nobody knows whether a backup is running.
        with suppress(SQLAlchemyError), deleting(self.db) as allowed:
            if allowed:
                self.blobs.delete(key)

    def keys(self, kind: str, *, before: datetime) -> Iterator[str]:
        return self.blobs.keys(kind, before=before)

    def entries(self, kind: str) -> Iterator[BlobEntry]:
        return self.blobs.entries(kind)

    def delete_unfinished(self, *, before: datetime) -> None:
        self.blobs.delete_unfinished(before=before)

    def check(self) -> None:
        self.blobs.check()
