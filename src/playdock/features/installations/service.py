"""Keeping layers and manifests, and putting layers together."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

import blake3
import zstandard
from sqlalchemy.orm import Session

from playdock.content import layers
from playdock.content.errors import UnreadableRecord
from playdock.content.layers import Installation
from playdock.content.manifest import manifest
from playdock.content.records import Layer
from playdock.features.games import queries
from playdock.features.installations.errors import LayerLost
from playdock.models import Version
from playdock.storage.blobs import Blobs, NoSuchBlob
from playdock.storage.sweeping import sweep

LAYERS = "layers"
MANIFESTS = "manifests"


@dataclass(frozen=True, slots=True)
class Revision:
    """A version as it was imported last: its id, and what its layer and its manifest are called."""

    version_id: str
    record_name: str

    @classmethod
    def of(cls, version: Version) -> "Revision":
        return cls(version.id, version.record_name)

    @classmethod
    def numbered(cls, version_id: str, number: int = 0) -> "Revision":
        """Give the revision of a version that has or will have this number; the first import's is 0."""
        return cls.of(Version(id=version_id, revision=number))


@dataclass(frozen=True, slots=True)
class Stack:
    """A version's layers, base first, and the revisions they belong to."""

    revisions: tuple[Revision, ...]
    layers: tuple[Layer, ...]

    def with_top(self, revision: Revision, layer: Layer) -> "Stack":
        return Stack((*self.revisions, revision), (*self.layers, layer))

    def merge(self) -> Installation:
        return layers.merge(self.layers)


@dataclass(frozen=True, slots=True)
class Installations:
    """Layers and manifests in their storage."""

    blobs: Blobs

    def stack(self, chain: tuple[Revision, ...]) -> Stack:
        """Load the layers of a chain of versions, base first.

        Raises:
            LayerLost: one is gone from the storage, or damaged.
        """
        return Stack(chain, tuple(map(self.layer, chain)))

    def layer(self, revision: Revision) -> Layer:
        """Load the records of a version's own files.

        Raises:
            LayerLost: they are gone from the storage, or damaged.
        """
        try:
            return layers.decode(b"".join(self.blobs.open(f"{LAYERS}/{revision.record_name}")))
        except (NoSuchBlob, UnreadableRecord):
            raise LayerLost from None

    def keep_layer(self, revision: Revision, layer: Layer) -> None:
        self.blobs.put(f"{LAYERS}/{revision.record_name}", [layers.encode(layer)])

    def keep_manifest(self, stack: Stack, installation: Installation, *, game_id: str) -> str:
        """Write the manifest of a stack's top version, compressed, and give its BLAKE3 as 64 hex digits."""
        top = stack.revisions[-1]
        images = [revision.version_id for revision in stack.revisions]
        hashed = blake3.blake3()
        pieces = manifest(installation, game=game_id, version=top.version_id, images=images)
        self.blobs.put(f"{MANIFESTS}/{top.record_name}", _compressed(_hashed(pieces, hashed)))
        return hashed.hexdigest()

    def open_manifest(self, revision: Revision) -> Iterator[bytes]:
        """Give a manifest's bytes as they are stored: compressed by zstd.

        Raises:
            NoSuchBlob: it is not there.
        """
        return self.blobs.open(f"{MANIFESTS}/{revision.record_name}")

    def sweep(self, *, before: datetime, known: Callable[[], Collection[str]]) -> int:
        """Throw away what has no known record name and was written before a moment, and give how much that was."""
        return sweep(self.blobs, LAYERS, MANIFESTS, before=before, known=known)


def chain_of(session: Session, version: Version | None) -> tuple[Revision, ...]:
    """Give a version and its bases as they were imported last, base first."""
    return tuple(Revision.of(layer) for layer in queries.with_bases(session, version))


def _hashed(pieces: Iterator[bytes], hashed: "blake3.blake3") -> Iterator[bytes]:
    for piece in pieces:
        hashed.update(piece)
        yield piece


def _compressed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()
