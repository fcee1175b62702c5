"""The files of an installation as a manifest lists them, and chunks of them as they are sent."""

from collections.abc import Sequence
from uuid import UUID

import msgspec
from msgspec import Struct

from playdock.content.bodies import Span, SpansBody
from playdock.content.zip_layout import ZipBody
from playdock.features.downloads.service import Downloadable
from playdock.features.drop_bridge import rules
from playdock.features.drop_bridge.bundles import Packing, chunk_id, iv_of
from playdock.features.drop_bridge.checksums import LayerChecksums
from playdock.features.drop_bridge.depot_schemas import V2Bundle, V2Chunk, V2Manifest, V2Piece
from playdock.features.drop_bridge.errors import InvalidChunkIndex, UnknownDropFile
from playdock.features.drop_bridge.schemas import ChunkOfFile, V1File
from playdock.models import Version


class ChunkSelection(Struct, frozen=True):
    """Chunks that can be sent, and their lengths."""

    item: Downloadable
    lengths: Sequence[int]


def _archive(item: Downloadable) -> ZipBody:
    assert isinstance(item.body, ZipBody)
    return item.body


def has_links(item: Downloadable) -> bool:
    """Return whether a version has links, which are installed as copies."""
    return bool(_archive(item).links)


def files_of(
    item: Downloadable, version: Version, names: Sequence[str], layers: Sequence[LayerChecksums]
) -> dict[str, V1File]:
    """Return the files of a manifest by their paths. ``names`` are those of the versions of the layers."""
    body, files = _archive(item), {}
    for installed in rules.installed_paths(body.table, body.links):
        file = installed.file
        digests = layers[file.image].of(file)
        files[installed.path] = V1File(
            permissions=rules.permissions(file.mode, launched=installed.path in (version.launch, version.setup)),
            ids=[str(UUID(bytes=each)) for each in digests],
            checksums=[each.hex() for each in digests],
            lengths=rules.chunk_lengths(file.size),
            version_name=names[file.image],
        )
    return files


def selection(item: Downloadable, chunks: Sequence[ChunkOfFile]) -> ChunkSelection:
    """Return chunks of an installation.

    Raises:
        UnknownDropFile, InvalidChunkIndex: there is no such chunk.
    """
    body = _archive(item)
    copies = {each.path: each.file for each in rules.copies(body.table, body.links)}
    spans = []
    for chunk in chunks:
        file = body.table.find(chunk.filename) or copies.get(chunk.filename)
        if file is None:
            raise UnknownDropFile(chunk.filename)
        if not 0 <= chunk.chunk_index < rules.count_chunks(file.size):
            raise InvalidChunkIndex
        offset = chunk.chunk_index * rules.CHUNK_BYTES
        spans.append(Span(file, offset, min(rules.CHUNK_BYTES, file.size - offset)))
    lengths = [span.length for span in spans]
    selected = SpansBody([span for span in spans if span.length], sum(lengths))
    return ChunkSelection(msgspec.structs.replace(item, body=selected), lengths)


class EncryptedChunk(Struct, frozen=True):
    """A chunk that can be sent, and with what it is encrypted."""

    item: Downloadable
    key: bytes
    iv: bytes


def bundle_of(
    version: Version, item: Downloadable, packing: Packing, digests: Sequence[str], *, prefix: bytes, key: bytes
) -> V2Bundle:
    """Return the manifests of a packing: one for each version that supplies files."""
    ids = [revision.version_id for revision in item.version.chain]
    programs = (version.launch, version.setup)
    manifests = {
        ids[image]: V2Manifest(version="2", size=0, key=list(key), chunks={})
        for image in sorted(set(packing.images.values()))
    }
    for number, (chunk, digest) in enumerate(zip(packing.chunks, digests, strict=True)):
        manifest = manifests[ids[chunk.image]]
        manifest.size += chunk.size
        manifest.chunks[chunk_id(prefix, number)] = V2Chunk(
            checksum=digest,
            iv=list(iv_of(number)),
            files=[
                V2Piece(
                    filename=piece.path,
                    start=piece.start,
                    length=piece.length,
                    permissions=rules.permissions(piece.file.mode, launched=piece.path in programs),
                )
                for piece in chunk.pieces
            ],
        )
    return V2Bundle(
        file_list={path: ids[image] for path, image in packing.images.items()},
        manifests=manifests,
        install_size=version.installed_size,
        download_size=packing.size,
    )
