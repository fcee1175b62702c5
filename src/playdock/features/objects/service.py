"""Storing and fetching objects."""

from dataclasses import dataclass
from datetime import datetime

import blake3
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.errors import SignInNeeded
from playdock.db.database import Database
from playdock.features.objects import queries, rules
from playdock.features.objects.errors import ObjectUnknown
from playdock.kit.clock import Clock
from playdock.kit.secrets import new_id
from playdock.models import StoredObject
from playdock.storage.blobs import Blobs, NoSuchBlob
from playdock.storage.sweeping import sweep

KIND = "objects"


@dataclass(frozen=True, slots=True)
class Written:
    """Bytes that are stored and do not belong to anything yet."""

    id: str
    media_type: str
    size: int
    etag: str


@dataclass(frozen=True, slots=True)
class Objects:
    """Objects in their storage. `write` first, then `adopt` in the transaction that needs the object."""

    db: Database
    clock: Clock
    blobs: Blobs

    def write(self, data: bytes, *, media_type: str) -> Written:
        object_id = new_id()
        size = self.blobs.put(_key(object_id), [data])
        return Written(object_id, media_type, size, blake3.blake3(data).hexdigest())

    def adopt(self, session: Session, written: Written, *, reader: str) -> None:
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
        """Find an object that the caller may read.

        Raises:
            ObjectUnknown: there is none, or the caller may not see it.
            SignInNeeded: nobody is signed in, and it is not public.
        """
        with self.db.read() as session:
            row = queries.find(session, object_id)
        if row is not None and rules.may_read(row.reader, actor):
            return row
        if actor is None:
            raise SignInNeeded
        raise ObjectUnknown

    def read(self, row: StoredObject) -> bytes:
        """Give an object's bytes.

        Raises:
            ObjectUnknown: they are gone from the storage.
        """
        try:
            return self.fetch(row.id)
        except NoSuchBlob:
            raise ObjectUnknown from None

    def fetch(self, object_id: str) -> bytes:
        """Give the bytes under an object's id, for the service's own use.

        Raises:
            NoSuchBlob: there are none.
        """
        return b"".join(self.blobs.open(_key(object_id)))

    def discard(self, object_id: str) -> None:
        """Throw away bytes that belong to nothing any more."""
        self.blobs.delete(_key(object_id))

    def sweep(self, *, before: datetime) -> int:
        """Throw away all bytes without a row that were written before a moment, and give how many there were."""
        return sweep(self.blobs, KIND, before=before, known=self._known)

    def _known(self) -> set[str]:
        with self.db.read() as session:
            return queries.known(session)


def _key(object_id: str) -> str:
    return f"{KIND}/{object_id}"
