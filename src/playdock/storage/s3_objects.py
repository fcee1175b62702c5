"""What a part of an S3 bucket contains, without the client that reads it (`s3_bucket.py`), which takes long to load."""

from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from msgspec import Struct


class NoSuchObject(Exception):
    """The bucket has no object with this key."""


class ObjectTooShort(Exception):
    """The object has no bytes in the requested range."""


class S3Object(Struct, frozen=True):
    """An object: its key below the prefix, its size in bytes, its ETag, and when it was written."""

    key: str
    size: int
    etag: str
    modified: datetime


class S3Folder(Struct, frozen=True):
    """What is directly below a prefix: the prefixes that continue with a slash, without it, and the objects."""

    folders: tuple[str, ...]
    objects: tuple[S3Object, ...]


class S3Content(Struct, frozen=True):
    """Bytes of an object, in pieces of about 1 MiB, and its ETag."""

    etag: str
    pieces: Iterator[bytes]


class S3Contents(Protocol):
    """The objects of a part of a bucket, for reading; `S3Bucket` implements it.

    Raises:
        StorageFailure: the server or the bucket cannot be used (raised by all methods).
    """

    def find(self, key: str) -> S3Object:
        """Return an object. Raises NoSuchObject."""
        ...

    def fetch(self, key: str, start: int, end: int) -> S3Content:
        """Return a range of an object. Raises NoSuchObject and ObjectTooShort."""
        ...

    def list(self, prefix: str) -> Iterator[S3Object]:
        """Yield the objects below a prefix."""
        ...

    def folder(self, prefix: str) -> S3Folder:
        """Return what is directly below a prefix."""
        ...

    def link(self, key: str, *, seconds: int) -> str | None:
        """Return a link with which anybody can read an object for some time; None if there is no public endpoint."""
        ...
