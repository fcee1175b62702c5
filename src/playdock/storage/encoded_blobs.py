"""Blobs stored with zstd, in the content encodings of responses.

They are sent as stored, or decompressed while they are sent, which costs little. Compressing them with gzip takes a
second of processor time for the manifest of 200,000 files, so the result is cached, unless it is very large.
"""

import os
from collections.abc import Iterator

from playdock.kit.content_encoding import ContentEncoding, transcode
from playdock.kit.shared_lru import SharedLru
from playdock.storage.blobs import Blobs

# Enough for two of the largest manifests, or for thousands of usual ones.
_MAX_CACHED_BYTES = 64 * 1024 * 1024
# The manifest of some 200,000 files. Browsers seldom read larger ones; the client reads zstd.
_MAX_CACHED_BLOB_BYTES = 8 * 1024 * 1024
_BLOCK_BYTES = 256 * 1024


class EncodedBlobs:
    """Blobs by key, whose content never changes until they are deleted."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._gzip = SharedLru(self._compressed, weigh=len, max_weight=_MAX_CACHED_BYTES)

    def open(self, key: str, encoding: ContentEncoding) -> Iterator[bytes]:
        """Return the content of a blob in an encoding of zstd, gzip or identity, in pieces.

        Raises:
            NoSuchBlob: there is no blob with this key.
        """
        if encoding is ContentEncoding.GZIP:
            # A deleted blob may still be cached.
            descriptor = self._blobs.descriptor(key)
            size = os.fstat(descriptor).st_size
            os.close(descriptor)
            if size <= _MAX_CACHED_BLOB_BYTES:
                return _blocks(self._gzip.get(key))
        return transcode(self._blobs.open(key), encoding)

    def _compressed(self, key: str) -> bytes:
        return b"".join(transcode(self._blobs.open(key), ContentEncoding.GZIP))


def _blocks(content: bytes) -> Iterator[bytes]:
    return (content[start : start + _BLOCK_BYTES] for start in range(0, len(content), _BLOCK_BYTES))
