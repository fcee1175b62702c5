"""Moving the objects from a folder into an S3 server, and back."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from msgspec import Struct

from playdock.backups import rules
from playdock.backups.errors import ObjectNotMoved
from playdock.storage.blobs import BlobEntry, Blobs, NoSuchBlob

# An S3 server responds in milliseconds, and to several requests at the same time.
_THREADS = 8
_AT_ONCE = 256


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
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="move-objects") as pool:
        for kind in rules.KINDS:
            pairs = _pairs(source.entries(kind), target.entries(kind))
            while some := list(islice(pairs, _AT_ONCE)):
                copied += sum(pool.map(lambda pair: _move(source, target, *pair), some))
                objects, size = objects + len(some), size + sum(entry.size for entry, _ in some)
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
