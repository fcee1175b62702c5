"""What clients of Drop 0.4 download: chunks that are packed for one installation, with their SHA-256.

A *packing* is the files that an installation needs beyond the previous one, cut into chunks of at most 64 MiB. Chunks
hold only files of one layer. The id of a chunk contains a digest of the two installations and its number, so that it is
found again without being stored, and no more once one of the two versions has been imported again.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

import blake3
from msgspec import Struct

from playdock.content.bodies import Span
from playdock.content.file_table import ServedFile
from playdock.domain.installations.service import BUNDLES, Chain, ContentTables
from playdock.features.downloads.service import ResolvedVersion
from playdock.features.drop_bridge import rules
from playdock.features.drop_bridge.checksums import ComputedBlobs, update_with
from playdock.features.drop_bridge.rules import CHUNK_BYTES
from playdock.kit.secret_key import Purpose, SecretKey
from playdock.kit.shared_lru import SharedLru
from playdock.storage.archives import Archives
from playdock.storage.openers import VersionOpener

# As many as Drop's server puts into one chunk, so that clients open no more files at once.
_MAX_PIECES = 512
_SHA256_BYTES = 32
_KEY_BYTES = 16
_PREFIX_BYTES = 8
# About 100 MiB of pieces.
_MAX_CACHED_PIECES = 500_000


class PackedPiece(Struct, frozen=True):
    """A part of a file, which is installed at ``path``."""

    path: str
    file: ServedFile
    start: int
    length: int


class PackedChunk(Struct, frozen=True):
    """Pieces of files of one layer, whose number is ``image``."""

    image: int
    pieces: tuple[PackedPiece, ...]

    @property
    def size(self) -> int:
        return sum(piece.length for piece in self.pieces)

    @property
    def spans(self) -> list[Span]:
        return [Span(piece.file, piece.start, piece.length) for piece in self.pieces if piece.length]


class Packing(Struct, frozen=True):
    """The chunks of an installation, and the image of each of its files by path."""

    chunks: tuple[PackedChunk, ...]
    images: dict[str, int]

    @property
    def size(self) -> int:
        return sum(chunk.size for chunk in self.chunks)


def prefix_of(etag: str, previous_etag: str) -> bytes:
    """Return what the ids of all chunks between two installations begin with."""
    return blake3.blake3(f"{etag} {previous_etag}".encode()).digest(length=_PREFIX_BYTES)


def chunk_id(prefix: bytes, number: int) -> str:
    return str(UUID(bytes=prefix + number.to_bytes(_PREFIX_BYTES, "big")))


def split_chunk_id(text: str) -> tuple[bytes, int] | None:
    """Return the prefix and the number of a chunk, None if it is no id."""
    try:
        plain = UUID(text).bytes
    except ValueError:
        return None
    return plain[:_PREFIX_BYTES], int.from_bytes(plain[_PREFIX_BYTES:], "big")


def iv_of(number: int) -> bytes:
    """Return the IV of a chunk: the counter begins at 0, and the rest differs between all chunks of a key."""
    return bytes(8) + number.to_bytes(8, "big")


def pack(files: Sequence[tuple[str, ServedFile]]) -> Iterator[tuple[PackedPiece, ...]]:
    """Yield chunks with the files of one layer, the largest file first; each byte is in exactly one of them."""
    pieces: list[PackedPiece] = []
    room = CHUNK_BYTES
    for path, file in sorted(files, key=lambda each: (-each[1].size, each[0])):
        start = 0
        while True:
            length = min(room, file.size - start)
            pieces.append(PackedPiece(path, file, start, length))
            start, room = start + length, room - length
            if not room or len(pieces) == _MAX_PIECES:
                yield tuple(pieces)
                pieces, room = [], CHUNK_BYTES
            if start == file.size:
                break
    if pieces:
        yield tuple(pieces)


class Bundles:
    """Packings, and the checksums and keys of their chunks."""

    def __init__(self, stored: ComputedBlobs, tables: ContentTables, archives: Archives, secret_key: SecretKey) -> None:
        self._stored = stored
        self._tables = tables
        self._archives = archives
        self._secret_key = secret_key
        self._packings: SharedLru[tuple[Chain, Chain], Packing] = SharedLru(
            self._pack, weigh=_weigh, max_weight=_MAX_CACHED_PIECES
        )

    def packing(self, version: ResolvedVersion, previous: ResolvedVersion | None) -> Packing:
        return self._packings.get((version.chain, previous.chain if previous else ()))

    def exist(self, version: ResolvedVersion, previous: ResolvedVersion | None) -> bool:
        """Return whether the SHA-256 of all chunks are stored."""
        return self._stored.has(_key(version, previous))

    def digests(
        self,
        version: ResolvedVersion,
        previous: ResolvedVersion | None,
        advance: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> list[str]:
        """Return the SHA-256 of each chunk; compute and store them if that has not been done.

        ``advance`` is called with the bytes that were read and their total.

        Raises:
            ContentMismatch: a file has changed since the import.
            LocationUnavailable, OSError: a file cannot be read now.
        """
        packing = self.packing(version, previous)
        digests = self._stored.get(_key(version, previous), lambda: self._compute(version, packing, advance))
        return [digests[at : at + _SHA256_BYTES].hex() for at in range(0, len(digests), _SHA256_BYTES)]

    def key(self, prefix: bytes) -> bytes:
        """Return the key of the chunks with a prefix, which only the manifest reveals."""
        sealed = self._secret_key.encrypt(prefix.hex(), Purpose.DROP_CHUNKS)
        return hashlib.sha256(sealed.encode()).digest()[:_KEY_BYTES]

    def _pack(self, chains: tuple[Chain, Chain]) -> Packing:
        installed, before = (self._installed(chain) if chain else {} for chain in chains)
        needed = [(path, file) for path, file in installed.items() if not _is_same(file, before.get(path))]
        chunks = [
            PackedChunk(image, pieces)
            for image in range(len(chains[0]))
            for pieces in pack([(path, file) for path, file in needed if file.image == image])
        ]
        return Packing(tuple(chunks), {path: file.image for path, file in installed.items()})

    def _installed(self, chain: Chain) -> dict[str, ServedFile]:
        found = self._tables.installed.get(chain)
        return {each.path: each.file for each in rules.installed_paths(found.table, found.archive.links)}

    def _compute(self, version: ResolvedVersion, packing: Packing, advance: Callable[[int, int], None]) -> bytes:
        opener = VersionOpener(version.places, self._archives, max_wait=None)
        digests, done = bytearray(), 0
        try:
            for chunk in packing.chunks:
                sha256 = hashlib.sha256()
                for span in chunk.spans:
                    update_with(sha256.update, span, opener)
                digests += sha256.digest()
                done += chunk.size
                advance(done, packing.size)
        finally:
            opener.release()
        return bytes(digests)


def _key(version: ResolvedVersion, previous: ResolvedVersion | None) -> str:
    name = version.chain[-1].record_name
    if previous:
        name = blake3.blake3(f"{name} {previous.chain[-1].record_name}".encode()).hexdigest(length=16)
    return f"{BUNDLES}/{name}"


def _weigh(packing: Packing) -> int:
    return len(packing.images) + sum(len(chunk.pieces) for chunk in packing.chunks)


def _is_same(file: ServedFile, before: ServedFile | None) -> bool:
    return before is not None and (file.hash, file.size, file.mode) == (before.hash, before.size, before.mode)
