"""Moving the objects from a folder into an S3 server, and back."""

import hashlib
from collections.abc import Iterator

from msgspec import Struct

from playdock.backups import rules
from playdock.backups.errors import ObjectNotMoved
from playdock.backups.parallel import results
from playdock.storage.blobs import BlobEntry, Blobs, NoSuchBlob


class MovedObjects(Struct, frozen=True):
    """How many objects there are, their size in bytes, and how many of them were copied now."""

    objects: int
    size: int
    copied: int


def move_objects(source: Blobs, target: Blobs) -> MovedObjects:
    """Copy all objects, and compare the copies with the originals. The source is not changed.

    Interrupted, it copies only what is missing when it is started again, and compares everything.

    Raises:
        ObjectNotMoved: a copy has other content, or an object was deleted during the copy.
        OSError: the source or the target cannot be used.
    """
    target.check()
    objects = size = copied = 0
    for kind in rules.KINDS:
        pairs = _pairs(source.entries(kind), target.entries(kind))
        for entry, is_new in results(lambda pair: (pair[0], _move(source, target, *pair)), pairs):
            objects, size, copied = objects + 1, size + entry.size, copied + is_new
    return MovedObjects(objects, size, copied)


def _pairs(entries: Iterator[BlobEntry], others: Iterator[BlobEntry]) -> Iterator[tuple[BlobEntry, bool]]:
    """Yield each entry, and whether there is one of the same key and size among the others. Both are in order."""
    other = next(others, None)
    for entry in entries:
        while other is not None and other.key < entry.key:
            other = next(others, None)
        yield entry, other is not None and (other.key, other.size) == (entry.key, entry.size)


def _move(source: Blobs, target: Blobs, entry: BlobEntry, is_there: bool) -> bool:  # noqa: FBT001 - a pair of `_pairs`
    """Return whether an object had to be copied."""
    try:
        wanted = _hash(source, entry.key)
        if is_there and _hash(target, entry.key) == wanted:
            return False
        target.put(entry.key, source.open(entry.key))
        if _hash(target, entry.key) != wanted:
            raise ObjectNotMoved(entry.key)
    except NoSuchBlob:
        raise ObjectNotMoved(entry.key) from None
    return True


def _hash(blobs: Blobs, key: str) -> bytes:
    digest = hashlib.sha256()
    for piece in blobs.open(key):
        digest.update(piece)
    return digest.digest()
