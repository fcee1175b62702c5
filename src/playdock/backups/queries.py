"""What a restored database refers to."""

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from playdock.models import PatchSet, StoredObject, Version

_STREAMED = {"yield_per": 1000}


def referenced_keys(session: Session) -> Iterator[str]:
    """Yield the keys of all blobs to which rows refer."""
    for object_id in session.scalars(select(StoredObject.id), execution_options=_STREAMED):
        yield f"objects/{object_id}"
    for version_id, revision in session.execute(select(Version.id, Version.revision), execution_options=_STREAMED):
        name = Version(id=version_id, revision=revision).record_name
        yield from (f"layers/{name}", f"manifests/{name}")
    for set_id in session.scalars(select(PatchSet.id), execution_options=_STREAMED):
        yield from (f"patches/{set_id}", f"patchlists/{set_id}")
