"""Storing layers and manifests, and merging layers into installations."""

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import NamedTuple

import blake3
import zstandard
from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.content import layers
from playdock.content.bodies import VersionImageBody
from playdock.content.errors import UnreadableRecord
from playdock.content.file_table import FileTable
from playdock.content.layers import Installation
from playdock.content.manifest import manifest
from playdock.content.records import Layer
from playdock.content.zip_layout import ZipBody
from playdock.domain.games import queries
from playdock.domain.installations.errors import LayerMissing
from playdock.kit.shared_lru import SharedLru
from playdock.models import Version
from playdock.storage.blobs import Blobs, NoSuchBlob
from playdock.storage.sweeping import sweep

LAYERS = "layers"
MANIFESTS = "manifests"
# The MD5 of the chunks of a layer's files, for Drop's clients.
CHECKSUMS = "checksums"
# The SHA-256 of the chunks of whole installations, for the same.
BUNDLES = "bundles"
# About 100 MiB of tables: enough for a few dozen games downloaded at the same time.
_MAX_CACHED_FILES = 500_000


class VersionRevision(Struct, frozen=True):
    """The latest import of a version: the version's id, and the name of its layer and manifest in storage."""

    version_id: str
    record_name: str

    @classmethod
    def of(cls, version: Version) -> "VersionRevision":
        return cls(version.id, version.record_name)

    @classmethod
    def numbered(cls, version_id: str, number: int = 0) -> "VersionRevision":
        """Return the revision with a number; the first import has number 0."""
        return cls.of(Version(id=version_id, revision=number))


Chain = tuple[VersionRevision, ...]


class LayerStack(Struct, frozen=True):
    """A version's layers, base first, and their revisions."""

    revisions: tuple[VersionRevision, ...]
    layers: tuple[Layer, ...]

    def with_top(self, revision: VersionRevision, layer: Layer) -> "LayerStack":
        return LayerStack((*self.revisions, revision), (*self.layers, layer))

    def merge(self) -> Installation:
        return layers.merge(self.layers)


class Installations(Struct, frozen=True):
    """The storage of layers and manifests."""

    blobs: Blobs

    def stack(self, chain: tuple[VersionRevision, ...]) -> LayerStack:
        """Load the layers of a chain of versions, base first.

        Raises:
            LayerMissing: a layer is missing from the storage, or damaged.
        """
        return LayerStack(chain, tuple(map(self.layer, chain)))

    def layer(self, revision: VersionRevision) -> Layer:
        """Load the layer of a revision: the records of the version's own files.

        Raises:
            LayerMissing: it is missing from the storage, or damaged.
        """
        try:
            return layers.decode(self.blobs.open(f"{LAYERS}/{revision.record_name}"))
        except (NoSuchBlob, UnreadableRecord):
            raise LayerMissing from None

    def keep_layer(self, revision: VersionRevision, layer: Layer) -> None:
        self.blobs.put(f"{LAYERS}/{revision.record_name}", layers.encode(layer))

    def keep_manifest(self, stack: LayerStack, installation: Installation, *, game_id: str) -> str:
        """Write the manifest of a stack's top version, compressed, and return its BLAKE3 as 64 hex digits."""
        top = stack.revisions[-1]
        images = [revision.version_id for revision in stack.revisions]
        hashed = blake3.blake3()
        pieces = manifest(installation, game=game_id, version=top.version_id, images=images)
        self.blobs.put(manifest_key(top), _compressed(_hashed(pieces, hashed)))
        return hashed.hexdigest()

    def keep(self, stack: LayerStack, installation: Installation, *, game_id: str) -> str:
        """Write the layer and the manifest of a stack's top version, and return the manifest's BLAKE3 as 64 hex digits.

        They are written in parallel: compression and waiting for the disk release the interpreter lock.
        """
        with ThreadPoolExecutor(1, thread_name_prefix="layer") as pool:
            written = pool.submit(self.keep_layer, stack.revisions[-1], stack.layers[-1])
            etag = self.keep_manifest(stack, installation, game_id=game_id)
            written.result()
        return etag

    def sweep(self, *, before: datetime, referenced: Callable[[Collection[str]], Collection[str]]) -> int:
        """Delete blobs of no version that were written before a moment, and return their count.

        ``referenced`` returns which of some record names belong to versions.
        """
        return sweep(self.blobs, LAYERS, MANIFESTS, CHECKSUMS, BUNDLES, before=before, referenced=referenced)


def manifest_key(revision: VersionRevision) -> str:
    """Return the key of the blob with a manifest, compressed with zstd."""
    return f"{MANIFESTS}/{revision.record_name}"


def chain_of(session: Session, version: Version | None) -> tuple[VersionRevision, ...]:
    """Return the latest revisions of a version and its bases, base first."""
    return tuple(VersionRevision.of(layer) for layer in queries.with_bases(session, version))


def _hashed(pieces: Iterator[bytes], hashed: "blake3.blake3") -> Iterator[bytes]:
    for piece in pieces:
        hashed.update(piece)
        yield piece


def _compressed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()


class Installed(NamedTuple):
    """A merged installation: the files of all layers, and the same as a ZIP archive.

    The archive includes file times, which the manifest does not: ``stamp`` is a digest of them, for its ETag.
    """

    table: FileTable
    archive: ZipBody
    stamp: str


class ContentTables:
    """Cached tables of the version images and installations being downloaded."""

    def __init__(self, installations: Installations) -> None:
        self._installations = installations
        self.images: SharedLru[Chain, VersionImageBody] = SharedLru(
            self._image, weigh=lambda image: len(image.table), max_weight=_MAX_CACHED_FILES
        )
        self.installed: SharedLru[Chain, Installed] = SharedLru(
            self._merged, weigh=lambda installed: len(installed.table), max_weight=_MAX_CACHED_FILES
        )

    def _image(self, chain: Chain) -> VersionImageBody:
        """Load the top version's own files."""
        layer = self._installations.stack(chain[-1:]).layers[0]
        return VersionImageBody.of(layer, image=len(chain) - 1)

    def _merged(self, chain: Chain) -> Installed:
        installation = self._installations.stack(chain).merge()
        table = FileTable.of_installation(installation)
        stamp = blake3.blake3(repr(tuple(table.mtimes)).encode()).hexdigest(length=8)
        return Installed(table, ZipBody(table, installation.links), stamp)
