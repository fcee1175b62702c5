"""The MD5 of the chunks of the files of layers: 16 bytes for each chunk, in the order of the files of the layer.

They are computed once for each layer, by a task or by the first request that needs them, and stored as a blob.
"""

import hashlib
import os
from collections.abc import Callable
from threading import Lock
from weakref import WeakValueDictionary

from msgspec import Struct, field

from playdock.content.bodies import Span
from playdock.content.file_table import FileTable, ServedFile
from playdock.domain.installations.service import CHECKSUMS, ContentTables
from playdock.features.downloads.service import ResolvedVersion
from playdock.features.drop_bridge.rules import MD5_BYTES, chunk_lengths, chunk_starts, count_chunks
from playdock.sending.files import Opener, read
from playdock.storage.archives import Archives
from playdock.storage.blobs import Blobs, NoSuchBlob
from playdock.storage.openers import VersionOpener

# Large enough that system calls cost little.
_BLOCK_BYTES = 1024 * 1024


class LayerChecksums(Struct, frozen=True):
    """The checksums of a layer, and where those of each file begin."""

    table: FileTable
    digests: bytes
    starts: dict[str, int]

    def of(self, file: ServedFile) -> list[bytes]:
        """Return the MD5 of each chunk of a file of the layer."""
        first = self.starts[file.path]
        numbers = range(first, first + count_chunks(file.size))
        return [self.digests[number * MD5_BYTES : (number + 1) * MD5_BYTES] for number in numbers]


class ComputedBlobs(Struct, frozen=True):
    """Blobs that are computed when they are first needed, once in a process even if several threads need them."""

    blobs: Blobs
    _locks: WeakValueDictionary[str, Lock] = field(default_factory=WeakValueDictionary)
    _lock: Lock = field(default_factory=Lock)

    def has(self, key: str) -> bool:
        try:
            os.close(self.blobs.descriptor(key))
        except NoSuchBlob:
            return False
        return True

    def get(self, key: str, compute: Callable[[], bytes]) -> bytes:
        with self._lock:
            computing = self._locks.setdefault(key, Lock())
        with computing:
            try:
                return b"".join(self.blobs.open(key))
            except NoSuchBlob:
                computed = compute()
                self.blobs.put(key, [computed])
                return computed


class ChunkChecksums(Struct, frozen=True):
    """The checksums of all layers."""

    stored: ComputedBlobs
    tables: ContentTables
    archives: Archives

    def exist(self, version: ResolvedVersion) -> bool:
        """Return whether the checksums of all layers of a version are stored."""
        return all(self.stored.has(_key(revision.record_name)) for revision in version.chain)

    def of_layer(
        self, version: ResolvedVersion, image: int, advance: Callable[[int, int], None] = lambda _done, _total: None
    ) -> LayerChecksums:
        """Return the checksums of a layer; compute and store them if that has not been done.

        ``advance`` is called with the bytes that were read and their total.

        Raises:
            ContentMismatch: a file has changed since the import.
            LocationUnavailable, OSError: a file cannot be read now.
        """
        table = self.tables.images.get(version.chain[: image + 1]).table
        key = _key(version.chain[image].record_name)
        digests = self.stored.get(key, lambda: self._compute(version, table, advance))
        return LayerChecksums(table, digests, dict(zip(table.paths, chunk_starts(table), strict=False)))

    def _compute(self, version: ResolvedVersion, table: FileTable, advance: Callable[[int, int], None]) -> bytes:
        opener = VersionOpener(version.places, self.archives, max_wait=None)
        digests, done = bytearray(), 0
        try:
            for index in range(len(table)):
                file, offset = table[index], 0
                for length in chunk_lengths(file.size):
                    digests += _digest(file, offset, length, opener)
                    offset += length
                    done += length
                    advance(done, table.size)
        finally:
            opener.release()
        return bytes(digests)


def _digest(file: ServedFile, offset: int, length: int, opener: Opener) -> bytes:
    md5 = hashlib.md5(usedforsecurity=False)
    update_with(md5.update, Span(file, offset, length), opener)
    return md5.digest()


def update_with(update: Callable[[bytes], object], span: Span, opener: Opener) -> None:
    """Pass the bytes of a span to a hash function, a block at a time."""
    end = span.offset + span.length
    for begin in range(span.offset, end, _BLOCK_BYTES):
        update(read(Span(span.file, begin, min(_BLOCK_BYTES, end - begin)), opener))


def _key(record_name: str) -> str:
    return f"{CHECKSUMS}/{record_name}"
