"""Blobs in S3, with a cache on this machine.

A blob never changes, so what is in the cache is valid. Blobs are read and sent from files of the cache, as they are
where they are stored in a folder; a write ends when S3 has acknowledged it.
"""

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from msgspec import Struct

from playdock.kit.messages import Message
from playdock.kit.s3_location import S3Location
from playdock.kit.storage_failures import StorageFailure
from playdock.storage.blobs import BlobEntry, NoSuchBlob, blocks, is_key, place_of
from playdock.storage.file_cache import CacheFull, FileCache, boot_id
from playdock.storage.s3_bucket import S3Bucket
from playdock.storage.s3_objects import NoSuchObject, S3Object


class S3Blobs(Struct, frozen=True):
    """Blobs as objects of a bucket, with the same names as files in a folder."""

    bucket: S3Bucket
    cache: FileCache

    def put(self, key: str, pieces: Iterable[bytes]) -> int:
        size = self.bucket.write(place_of(key), pieces)
        self.cache.discard(key.encode())
        return size

    def open(self, key: str, *, block: int = 262_144) -> Iterator[bytes]:
        return blocks(os.fdopen(self.descriptor(key), "rb"), block)

    def descriptor(self, key: str) -> int:
        descriptor = self.cache.cached(key.encode())
        return self._fetch(key) if descriptor is None else descriptor

    def delete(self, key: str) -> None:
        self.bucket.delete(place_of(key))
        self.cache.discard(key.encode())

    def keys(self, kind: str, *, before: datetime) -> Iterator[str]:
        return (each.key for each in self.entries(kind) if each.modified < before.timestamp())

    def entries(self, kind: str) -> Iterator[BlobEntry]:
        for each in self.bucket.list(kind):
            key = f"{kind}/{each.key.rpartition('/')[2]}"
            if is_key(key) and place_of(key) == each.key:
                yield BlobEntry(key, each.size, each.modified.timestamp())

    def delete_unfinished(self, *, before: datetime) -> None:
        """Do nothing: a rule of the bucket deletes the parts of interrupted uploads."""

    def check(self) -> None:
        key = f"check/{uuid4()}"
        next(self.bucket.list("check"), None)
        self.put(key, [b"ok"])
        try:
            b"".join(self.open(key))
        finally:
            self.delete(key)

    def stop(self) -> None:
        """Cancel all downloads, and all waiting for them."""
        self.cache.stop()

    def _fetch(self, key: str) -> int:
        try:
            found = self.bucket.find(place_of(key))
            return self.cache.open(key.encode(), size=found.size, unpack=lambda file: self._download(found, file))
        except NoSuchObject:
            raise NoSuchBlob(key) from None
        except CacheFull as error:
            raise StorageFailure(Message("object-cache-full"), str(error)) from error

    def _download(self, found: S3Object, file: int) -> None:
        for piece in self.bucket.read(found):
            self.cache.check_running()
            rest = memoryview(piece)
            while rest:
                rest = rest[os.write(file, rest) :]
        os.lseek(file, 0, os.SEEK_SET)


def open_s3_blobs(location: S3Location, *, cache: Path, max_bytes: int) -> S3Blobs:
    """Return the blobs at a location, without connecting yet, and with a cache of at most ``max_bytes`` in a folder."""
    return S3Blobs(S3Bucket(location), FileCache(cache, max_bytes=max_bytes, boot=boot_id()))
