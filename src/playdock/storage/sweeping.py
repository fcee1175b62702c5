"""Deletion of blobs that are no longer referenced."""

from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from itertools import islice

import structlog

from playdock.storage.blobs import Blobs

_log = structlog.get_logger()

# The parameters of one query for references; a storage may have millions of blobs, too many to list in memory.
_BATCH_BLOBS = 500


def sweep(blobs: Blobs, *kinds: str, before: datetime, referenced: Callable[[Collection[str]], Collection[str]]) -> int:
    """Delete unreferenced blobs that were written before a given time, and return their number.

    ``referenced`` returns which of some names are referenced. It is called after these were listed, so that a blob that
    becomes referenced in between is kept.
    """
    keys = (key for kind in kinds for key in blobs.keys(kind, before=before))
    deleted = 0
    for batch in _batches(keys):
        kept = referenced({_name(key) for key in batch})
        orphans = [key for key in batch if _name(key) not in kept]
        for key in orphans:
            blobs.delete(key)
        deleted += len(orphans)
    blobs.delete_unfinished(before=before)
    return deleted


def discard(blobs: Blobs, key: str) -> None:
    """Delete a blob to which nothing refers any more. If the storage fails, it is left for the next sweep.

    The operation that no longer needs the blob has succeeded, and must not be reported as failed.
    """
    try:
        blobs.delete(key)
    except OSError as error:
        _log.warning("a blob could not be deleted", key=key, reason=str(error))


def _batches(keys: Iterator[str]) -> Iterator[list[str]]:
    while batch := list(islice(keys, _BATCH_BLOBS)):
        yield batch


def _name(key: str) -> str:
    return key.partition("/")[2]
