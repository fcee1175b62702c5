"""The public manifest of an installation, as JSON.

`{format, game, version, size, images: [{version, size}], files: [{path, size, mode, image, offset, hash, crc32,
chunks: [[length, id], …]}], links: [{path, target}], removed}`. Sizes, offsets and lengths are in bytes, `mode` is
permission bits and `crc32` an unsigned number, both as integers; hashes and ids are 64 hex digits; `image` is an index
into `images` and `offset` the position of the file in that image. The manifest of a version of 1 TB has 300 MB, so it
is generated in pieces.

The manifest of more than 100,000 files or 400,000 chunks is in *lines*, so that a client need not keep it as a whole:
the first line ends after `"files":[`, each following line has one or several complete entries of `files` separated by
commas, with a comma at the end unless it is the last, and the line after that starts with `]`. All other manifests have
no line breaks. Both are the same JSON to a client that does not look at lines.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from typing import Any

import msgspec
from msgspec import json

from playdock.content.chunks import PACKED_SIZE, unpack
from playdock.content.layers import Installation, InstalledFile
from playdock.content.packed_list import MANY
from playdock.content.records import FileRecord

FORMAT = 1
# These bound the memory for one call of the JSON encoder.
_CHUNKS_PER_PIECE = 1000
_FILES_PER_PIECE = 100
# Files with more than 100 chunks are encoded one by one.
_MAX_SHORT_BYTES = 100 * PACKED_SIZE
# Pieces are combined to at least this size, because sending many small ones is slow.
_MIN_PIECE_BYTES = 64 * 1024
# Chunks of 100 GB. A client needs some 100 MB for as many, as for 100,000 files.
_MANY_CHUNKS = 400_000


def manifest(installation: Installation, *, game: str, version: str, images: Sequence[str]) -> Iterator[bytes]:
    """Yield the manifest as JSON in pieces of about 64 KiB; equal arguments give equal bytes.

    ``images`` are the ids of the versions whose layers were merged, base first.

    Raises:
        ValueError: the number of images is not that of the installation.
    """
    sizes = zip(images, installation.images, strict=True)
    newline = b"\n" if len(installation.files) > MANY or _count_chunks(installation) > _MANY_CHUNKS else b""
    head = {
        "format": FORMAT,
        "game": game,
        "version": version,
        "size": installation.size,
        "images": [{"version": image, "size": size} for image, size in sizes],
    }
    tail = {
        "links": [{"path": link.path, "target": link.target} for link in installation.links],
        "removed": installation.removed,
    }
    return _gathered(_pieces(head, installation.files, tail=tail, newline=newline))


def _count_chunks(installation: Installation) -> int:
    return sum(len(file.record.chunks) for file in installation.files) // PACKED_SIZE


class _File(msgspec.Struct, gc=False):
    """The manifest's entry of a file."""

    path: str
    size: int
    mode: int
    image: int
    offset: int
    hash: str
    crc32: int
    chunks: list[tuple[int, str]]


def _pieces(
    head: dict[str, Any], files: Iterable[InstalledFile], *, tail: dict[str, Any], newline: bytes
) -> Iterator[bytes]:
    yield json.encode(head)[:-1] + b',"files":[' + newline
    comma = b""
    for short, some in groupby(files, key=_is_short):
        for piece in _together(some) if short else chain.from_iterable(map(_long, some)):
            yield comma + piece if piece.startswith(b"{") else piece
            comma = b"," + newline
    yield newline + b"]," + json.encode(tail)[1:]


def _is_short(file: InstalledFile) -> bool:
    return len(file.record.chunks) <= _MAX_SHORT_BYTES


def _together(files: Iterable[InstalledFile]) -> Iterator[bytes]:
    """Yield the entries of many files, encoded together, which takes half the time."""
    described = (_described(file, chunks=_chunks(file.record)) for file in files)
    while some := list(islice(described, _FILES_PER_PIECE)):
        yield json.encode(some)[1:-1]


def _long(file: InstalledFile) -> Iterator[bytes]:
    """Yield the entry of a file that has too many chunks to unpack all of them at once."""
    chunks = ((chunk.length, chunk.id.hex()) for chunk in unpack(file.record.chunks))
    yield json.encode(_described(file, chunks=[]))[:-2]
    comma = b""
    while some := list(islice(chunks, _CHUNKS_PER_PIECE)):
        yield comma + json.encode(some)[1:-1]
        comma = b","
    yield b"]}"


def _described(file: InstalledFile, *, chunks: list[tuple[int, str]]) -> _File:
    record = file.record
    hashed = record.hash.hex()
    return _File(record.path, record.size, record.mode, file.image, file.offset, hashed, record.crc32, chunks)


def _chunks(record: FileRecord) -> list[tuple[int, str]]:
    if len(record.chunks) == PACKED_SIZE:
        # A single chunk is the whole file. Most files of most games are this small.
        return [(record.size, record.hash.hex())]
    return [(chunk.length, chunk.id.hex()) for chunk in unpack(record.chunks)]


def _gathered(pieces: Iterable[bytes]) -> Iterator[bytes]:
    held = bytearray()
    for piece in pieces:
        held += piece
        if len(held) >= _MIN_PIECE_BYTES:
            yield bytes(held)
            held.clear()
    yield bytes(held)
