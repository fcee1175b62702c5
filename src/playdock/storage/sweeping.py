"""Deletion of blobs that are no longer referenced."""

from collections.abc import Callable, Collection
from datetime import datetime

from playdock.storage.blobs import Blobs


def sweep(blobs: Blobs, *kinds: str, before: datetime, known: Callable[[], Collection[str]]) -> int:
    """Delete unreferenced blobs that were written before a given time, and return their number.

    ``known`` returns the names of referenced blobs. It is called after the listing, so that a blob that becomes
    referenced in between is kept.
    """
    keys = [key for kind in kinds for key in blobs.keys(kind, before=before)]
    names = known()
    orphans = [key for key in keys if key.partition("/")[2] not in names]
    for key in orphans:
        blobs.delete(key)
    blobs.delete_unfinished(before=before)
    return len(orphans)
