"""Opening the object storage: a folder, or a part of a bucket of an S3 server."""

from contextlib import ExitStack

from playdock.settings import Settings
from playdock.storage.blobs import Blobs, LocalBlobs


def open_blobs(settings: Settings, resources: ExitStack) -> Blobs:
    """Return the storage, which ``resources`` closes."""
    location = settings.objects_in_s3
    if location is None:
        return LocalBlobs(settings.objects_dir)
    from playdock.storage.s3_blobs import open_s3_blobs

    blobs = open_s3_blobs(
        location, cache=settings.data_dir / "cache" / "objects", max_bytes=settings.objects_cache_max_bytes
    )
    resources.callback(blobs.stop)
    return blobs
