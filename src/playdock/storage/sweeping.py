"""Sweeping: throwing away the blobs that belong to nothing."""

from collections.abc import Callable, Collection
from datetime import datetime

from playdock.storage.blobs import Blobs


def sweep(blobs: Blobs, *kinds: str, before: datetime, known: Callable[[], Collection[str]]) -> int:
    """Throw away blobs that were written before a moment and whose names are not known, and give how many.

    The names are asked for after the listing, so that nothing is thrown away that came to belong to something between.
    """
    keys = [key for kind in kinds for key in blobs.keys(kind, before=before)]
    names = known()
    orphans = [key for key in keys if key.partition("/")[2] not in names]
    for key in orphans:
        blobs.delete(key)
    blobs.forget_unfinished(before=before)
    return len(orphans)
