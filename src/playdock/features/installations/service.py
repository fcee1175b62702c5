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
class Stack:
    """A version's layers, base first, and the ids of the versions they belong to."""

    versions: tuple[str, ...]
    layers: tuple[Layer, ...]

    def with_top(self, version_id: str, layer: Layer) -> "Stack":
        return Stack((*self.versions, version_id), (*self.layers, layer))

    def merge(self) -> Installation:
        return layers.merge(self.layers)


@dataclass(frozen=True, slots=True)
class Installations:
    """Layers and manifests in their storage."""

    blobs: Blobs

    def stack(self, chain: tuple[str, ...]) -> Stack:
        """Load the layers of a chain of versions, base first.

        Raises:
            LayerLost: one is gone from the storage, or damaged.
        """
        try:
            loaded = (b"".join(self.blobs.open(f"{LAYERS}/{version_id}")) for version_id in chain)
            return Stack(chain, tuple(layers.decode(data) for data in loaded))
        except (NoSuchBlob, UnreadableRecord):
            raise LayerLost from None

    def keep_layer(self, version_id: str, layer: Layer) -> None:
        self.blobs.put(f"{LAYERS}/{version_id}", [layers.encode(layer)])

    def keep_manifest(self, stack: Stack, installation: Installation, *, game_id: str) -> str:
        """Write the manifest of a stack's top version, compressed, and give its BLAKE3 as 64 hex digits."""
        version_id = stack.versions[-1]
        hashed = blake3.blake3()
        pieces = manifest(installation, game=game_id, version=version_id, images=stack.versions)
        self.blobs.put(f"{MANIFESTS}/{version_id}", _compressed(_hashed(pieces, hashed)))
        return hashed.hexdigest()

    def open_manifest(self, version_id: str) -> Iterator[bytes]:
        """Give a manifest's bytes as they are stored: compressed by zstd.

        Raises:
            NoSuchBlob: it is not there.
        """
        return self.blobs.open(f"{MANIFESTS}/{version_id}")

    def sweep(self, *, before: datetime, known: Callable[[], Collection[str]]) -> int:
        """Throw away what belongs to no known version and was written before a moment, and give how much that was."""
        return sweep(self.blobs, LAYERS, MANIFESTS, before=before, known=known)


def chain_of(session: Session, version: Version | None) -> tuple[str, ...]:
    """Give the ids of a version and of its bases, base first."""
    chain: list[str] = []
    while version is not None:
        chain.append(version.id)
        version = queries.find_version(session, version.base_id) if version.base_id else None
    return tuple(reversed(chain))


def _hashed(pieces: Iterator[bytes], hashed: "blake3.blake3") -> Iterator[bytes]:
    for piece in pieces:
        hashed.update(piece)
        yield piece


def _compressed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()
