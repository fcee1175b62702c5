"""The objects of a part of an S3 bucket, read and written through obstore.

S3 reports a missing bucket like a missing object, so an object is missing only if the bucket can be listed. Everything
else is a `StorageFailure`, which may be temporary. Calls block; no buffer grows with the size of an object.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import S3Store

from playdock.kit.messages import Message
from playdock.kit.s3_location import S3Location
from playdock.kit.storage_failures import StorageFailure
from playdock.storage.s3_objects import NoSuchObject, ObjectTooShort, S3Content, S3Folder, S3Object

_CONNECT_TIMEOUT = timedelta(seconds=5)
# A server that is silent for longer has stalled; obstore resumes, and callers get an error within half a minute.
_READ_TIMEOUT = timedelta(seconds=10)
_RETRIES: Any = {
    "max_retries": 3,
    "retry_timeout": timedelta(seconds=15),
    "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=2), "base": 2},
}
# The whole response of a request must end within this time, so it limits no download: `_READ_TIMEOUT` notices stalls.
_DOWNLOAD_TIMEOUT = timedelta(days=1)
# Enough for one part at 300 KB/s; a part is sent before anything is read, so it cannot have a `_READ_TIMEOUT`.
_UPLOAD_TIMEOUT = timedelta(seconds=30)
# A part of several that are sent at the same time, and the end of a large upload, for which servers take a while.
_PART_TIMEOUT = timedelta(seconds=120)
# S3 allows 10,000 parts of 5 MiB to 5 GiB: this is enough for 78 GiB, and four of them are little memory.
_PART_BYTES = 8 * 1024 * 1024
_PARTS_AT_ONCE = 4
_BLOCK_BYTES = 1024 * 1024
_REASON_CHARACTERS = 300


class S3Bucket:
    """The part of a bucket at a location.

    Raises:
        StorageFailure: the server or the bucket cannot be used (raised by all methods).
    """

    def __init__(self, location: S3Location, *, public_endpoint: str = "") -> None:
        """``public_endpoint`` is the URL of the server in links, empty if there are none."""
        self._links = _store(replace(location, endpoint=public_endpoint)) if public_endpoint else None
        self._reading = _store(location, timeout=_DOWNLOAD_TIMEOUT, read_timeout=_READ_TIMEOUT)
        self._writing = _store(location, timeout=_UPLOAD_TIMEOUT)
        self._sending_parts = _store(location, timeout=_PART_TIMEOUT)

    def find(self, key: str) -> S3Object:
        """Return an object.

        Raises:
            NoSuchObject: there is none with this key.
        """
        with self._failures_translated(key):
            return _object(obstore.head(self._reading, key))

    def read(self, found: S3Object) -> Iterator[bytes]:
        """Yield the content of an object in pieces of about 1 MiB; interrupted downloads are resumed.

        Raises:
            NoSuchObject: it was deleted.
        """
        read = 0
        while read < found.size:
            start = read
            try:
                for piece in self._read_from(found, start):
                    read += len(piece)
                    yield piece
            except StorageFailure:
                # obstore resumes too, but not after the time limit for its retries.
                if read == start:
                    raise

    def fetch(self, key: str, start: int, end: int) -> S3Content:
        """Return a range of an object, with the ETag that it has now.

        Raises:
            NoSuchObject: there is none with this key.
            ObjectTooShort: it has no bytes there.
        """
        options: Any = {"range": (start, end)}
        with self._failures_translated(key):
            response = obstore.get(self._reading, key, options=options)
            return S3Content(response.meta["e_tag"] or "", self._pieces_of(key, response))

    def _pieces_of(self, key: str, response: "obstore.GetResult") -> Iterator[bytes]:
        with self._failures_translated(key):
            yield from response.stream(min_chunk_size=_BLOCK_BYTES)

    def folder(self, prefix: str) -> S3Folder:
        """Return what is directly below a prefix."""
        with self._failures_translated(prefix):
            found: Any = obstore.list_with_delimiter(self._reading, prefix or None)
            return S3Folder(tuple(found["common_prefixes"]), tuple(map(_object, found["objects"])))

    def link(self, key: str, *, seconds: int) -> str | None:
        """Return a link with which anybody can read an object for some time; None if there is no public endpoint."""
        return obstore.sign(self._links, "GET", key, timedelta(seconds=seconds)) if self._links else None

    def _read_from(self, found: S3Object, start: int) -> Iterator[bytes]:
        with self._failures_translated(found.key):
            options: Any = {"if_match": found.etag, "range": (start, found.size)}
            yield from obstore.get(self._reading, found.key, options=options).stream(min_chunk_size=_BLOCK_BYTES)

    def write(self, key: str, pieces: Iterable[bytes]) -> int:
        """Write an object, replacing an existing one, and return its size in bytes.

        It exists, with all pieces, as soon as this returns, and not at all if the pieces end with an error.
        """
        source = _Source(pieces)
        try:
            with self._failures_translated(key):
                first = source.first(_PART_BYTES)
                if len(first) < _PART_BYTES:
                    obstore.put(self._writing, key, first, use_multipart=False)
                else:
                    obstore.put(
                        self._sending_parts,
                        key,
                        chain([first], source),
                        use_multipart=True,
                        chunk_size=_PART_BYTES,
                        max_concurrency=_PARTS_AT_ONCE,
                    )
        except (StorageFailure, NoSuchObject) as error:
            if source.error is not None:
                raise source.error from None
            if isinstance(error, StorageFailure):
                raise
            # The parts were deleted before the upload ended.
            raise StorageFailure(Message("object-storage-failed"), str(error)) from error
        return source.size

    def delete(self, *keys: str) -> None:
        """Delete objects if they exist."""
        try:
            with self._failures_translated(keys[0]):
                obstore.delete(self._writing, keys)
        except NoSuchObject:
            return

    def list(self, prefix: str) -> Iterator[S3Object]:
        """Yield the objects below a prefix, in batches as they are needed."""
        with self._failures_translated(prefix):
            for batch in obstore.list(self._reading, prefix or None):
                yield from map(_object, batch)

    @contextmanager
    def _failures_translated(self, key: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            self._require_bucket(key)
            raise NoSuchObject(key) from error
        except BaseError as error:
            # The only error of a range that has a meaning; obstore has no class for it.
            if "416 Requested Range Not Satisfiable" in str(error):
                raise ObjectTooShort(key) from error
            raise _failure(error) from error

    def _require_bucket(self, key: str) -> None:
        """Raise StorageFailure unless the bucket can be listed. The key is the prefix, so that little is listed."""
        try:
            next(iter(obstore.list(self._reading, key or None)), None)
        except (BaseError, FileNotFoundError) as error:
            raise _failure(error) from error


class _Source:
    """The pieces of an upload. An error of their own is kept, because obstore could report it as one of the server."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self.size = 0
        self.error: BaseException | None = None

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            piece = next(self._pieces)
        except StopIteration:
            raise
        except BaseException as error:
            self.error = error
            raise
        self.size += len(piece)
        return piece

    def first(self, size: int) -> bytes:
        """Return the beginning: at least ``size`` bytes, or everything."""
        pieces: list[bytes] = []
        while self.size < size and (piece := next(self, None)) is not None:
            pieces.append(piece)
        return b"".join(pieces)


def _store(location: S3Location, **timeouts: timedelta) -> S3Store:
    options: Any = {
        # Without an endpoint it is Amazon's, or AWS_ENDPOINT_URL, which may be unencrypted.
        "allow_http": not location.endpoint.startswith("https://"),
        "connect_timeout": _CONNECT_TIMEOUT,
        **timeouts,
    }
    config: dict[str, Any] = {
        "endpoint": _endpoint(location),
        "region": location.region or None,
        "access_key_id": location.access_key_id or None,
        "secret_access_key": location.secret_access_key or None,
    }
    return S3Store(
        location.bucket,
        prefix=location.prefix or None,
        virtual_hosted_style_request=not location.path_style,
        client_options=options,
        retry_config=_RETRIES,
        **{name: value for name, value in config.items() if value},
    )


def _endpoint(location: S3Location) -> str:
    """Return the URL at which the bucket is. Without path style, the bucket is part of the host."""
    if location.path_style or not location.endpoint:
        return location.endpoint
    parts = urlsplit(location.endpoint)
    return f"{parts.scheme}://{location.bucket}.{parts.netloc}{parts.path}"


def _object(meta: Any) -> S3Object:
    return S3Object(meta["path"], meta["size"], meta["e_tag"] or "", meta["last_modified"])


def _failure(error: Exception) -> StorageFailure:
    reason = str(error).partition("\n")[0][:_REASON_CHARACTERS]
    # Listing reports only in its text why it was refused.
    if isinstance(error, PermissionDeniedError | UnauthenticatedError) or "403 Forbidden" in reason:
        return StorageFailure(Message("object-storage-refused"), reason)
    if isinstance(error, FileNotFoundError) or "404 Not Found" in reason:
        return StorageFailure(Message("object-storage-no-bucket"), reason)
    return StorageFailure(Message("object-storage-failed"), reason)
