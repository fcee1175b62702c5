"""The public manifest of an installation, as JSON.

`{format, game, version, size, images: [{version, size}], files: [{path, size, mode, image, offset, hash, crc32,
chunks: [[length, id], …]}], links: [{path, target}], removed}`. Sizes, offsets and lengths are bytes, `mode` is
permission bits and `crc32` an unsigned number, both as integers; hashes and ids are 64 hex digits; `image` counts
`images` from 0 and `offset` is the file's place in that image. Made in pieces: a terabyte has 300 MB of it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from typing import Any

import msgspec
from msgspec import json

from playdock.content.chunks import PACKED_SIZE, unpack
from playdock.content.layers import Installation, InstalledFile

FORMAT = 1
_CHUNKS_A_PIECE = 1000
_FILES_A_PIECE = 100
_SHORT = 100 * PACKED_SIZE
_PIECE = 64 * 1024


def manifest(installation: Installation, *, game: str, version: str, images: Sequence[str]) -> Iterator[bytes]:
    """Give the manifest's JSON in pieces of some 64 KiB; the same arguments give the same bytes.

    `images` are the ids of the versions whose layers were merged, base first. ValueError if their number differs.
    """
    sizes = zip(images, installation.images, strict=True)
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
    return _gathered(_pieces(head, installation.files, tail=tail))


class _File(msgspec.Struct, gc=False):
    """A file as the manifest tells it."""

    path: str
    size: int
    mode: int
    image: int
    offset: int
    hash: str
    crc32: int
    chunks: list[tuple[int, str]]


def _pieces(head: dict[str, Any], files: Iterable[InstalledFile], *, tail: dict[str, Any]) -> Iterator[bytes]:
    yield json.encode(head)[:-1] + b',"files":['
    comma = b""
    for short, some in groupby(files, key=_is_short):
        for piece in _together(some) if short else chain.from_iterable(map(_long, some)):
            yield comma + piece if piece.startswith(b"{") else piece
            comma = b","
    yield b"]," + json.encode(tail)[1:]


def _is_short(file: InstalledFile) -> bool:
    return len(file.record.chunks) <= _SHORT


def _together(files: Iterable[InstalledFile]) -> Iterator[bytes]:
    """Write many files at once, which takes half the time."""
    described = (_described(file, chunks=_chunks(file)) for file in files)
    while some := list(islice(described, _FILES_A_PIECE)):
        yield json.encode(some)[1:-1]


def _long(file: InstalledFile) -> Iterator[bytes]:
    """Write one file with so many chunks that they should not all be unpacked at once."""
    chunks = ((chunk.length, chunk.id.hex()) for chunk in unpack(file.record.chunks))
    yield json.encode(_described(file, chunks=[]))[:-2]
    comma = b""
    while some := list(islice(chunks, _CHUNKS_A_PIECE)):
        yield comma + json.encode(some)[1:-1]
        comma = b","
    yield b"]}"


def _described(file: InstalledFile, *, chunks: list[tuple[int, str]]) -> _File:
    record = file.record
    hashed = record.hash.hex()
    return _File(record.path, record.size, record.mode, file.image, file.offset, hashed, record.crc32, chunks)


def _chunks(file: InstalledFile) -> list[tuple[int, str]]:
    return [(chunk.length, chunk.id.hex()) for chunk in unpack(file.record.chunks)]


def _gathered(pieces: Iterable[bytes]) -> Iterator[bytes]:
    held = bytearray()
    for piece in pieces:
        held += piece
        if len(held) >= _PIECE:
            yield bytes(held)
            held.clear()
    yield bytes(held)
