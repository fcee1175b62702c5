"""Storing and fetching objects."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime

import blake3
from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.errors import SignInRequired
from playdock.db.database import Database
from playdock.domain.objects import queries, rules
from playdock.domain.objects.errors import ObjectUnknown
from playdock.kit.clock import Clock
from playdock.kit.identifiers import new_id
from playdock.models import StoredObject
from playdock.storage.blobs import Blobs, NoSuchBlob
from playdock.storage.sweeping import discard, sweep

KIND = "objects"


class StoredBytes(Struct, frozen=True):
    """Bytes in storage to which no row refers yet; ``size`` is in bytes."""

    id: str
    media_type: str
    size: int
    etag: str


class Objects(Struct, frozen=True):
    """Objects and their storage. Call `write` first, then `adopt` in the transaction of the referring record."""

    db: Database
    clock: Clock
    blobs: Blobs

    def write(self, data: bytes, *, media_type: str) -> StoredBytes:
        return self.write_pieces([data], media_type=media_type)

    def write_pieces(self, pieces: Iterable[bytes], *, media_type: str) -> StoredBytes:
        object_id, hasher = new_id(), blake3.blake3()
        size = self.blobs.put(_key(object_id), _hashed(pieces, hasher))
        return StoredBytes(object_id, media_type, size, hasher.hexdigest())

    def adopt(self, session: Session, written: StoredBytes, *, reader: str) -> None:
        row = StoredObject(
            id=written.id,
            media_type=written.media_type,
            size=written.size,
            etag=written.etag,
            reader=reader,
            created=self.clock(),
        )
        queries.add(session, row)

    def describe(self, actor: Actor | None, object_id: str) -> StoredObject:
        """Return the row of an object that the caller may read.

        Raises:
            ObjectUnknown: no object has this id, or the caller may not read it.
            SignInRequired: the caller is not signed in and the object is not public.
        """
        with self.db.read() as session:
            row = queries.find(session, object_id)
        if row is not None and rules.may_read(row.reader, actor):
            return row
        if actor is None:
            raise SignInRequired
        raise ObjectUnknown

    def read(self, row: StoredObject) -> bytes:
        """Return an object's bytes.

        Raises:
            ObjectUnknown: the bytes are missing from the storage.
        """
        try:
            return self.fetch(row.id)
        except NoSuchBlob:
            raise ObjectUnknown from None

    def fetch(self, object_id: str) -> bytes:
        """Return the bytes of an object, for the service's own use.

        Raises:
            NoSuchBlob: the storage has no such bytes.
        """
        return b"".join(self.open(object_id))

    def open(self, object_id: str) -> Iterator[bytes]:
        """Return the bytes of an object in pieces. Raises the same as `fetch`."""
        return self.blobs.open(_key(object_id))

    def discard(self, object_id: str) -> None:
        """Delete bytes to which no row refers. If the storage fails, they are left for the next `sweep`."""
        discard(self.blobs, _key(object_id))

    def sweep(self, *, before: datetime) -> int:
        """Delete all bytes without a row that were written before a moment, and return their count."""
        return sweep(self.blobs, KIND, before=before, referenced=self._existing)

    def _existing(self, object_ids: Collection[str]) -> set[str]:
        with self.db.read() as session:
            return queries.existing_ids(session, object_ids)


def _hashed(pieces: Iterable[bytes], hasher: blake3.blake3) -> Iterator[bytes]:
    for piece in pieces:
        hasher.update(piece)
        yield piece


def _key(object_id: str) -> str:
    return f"{KIND}/{object_id}"
