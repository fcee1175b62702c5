"""The public manifest of an installation, as JSON.

`{format, game, version, size, images: [{version, size}], files: [{path, size, mode, image, offset, hash, crc32,
chunks: [[length, id], …]}], links: [{path, target}], removed}`. Sizes, offsets and lengths are bytes, `mode` is
permission bits and `crc32` an unsigned number, both as integers; hashes and ids are 64 hex digits; `image` counts
`images` from 0 and `offset` is the file's place in that image. Made in pieces: a terabyte has 300 MB of it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import json

from playdock.content.chunks import unpack
from playdock.content.layers import Installation, InstalledFile

FORMAT = 1
_CHUNKS_A_PIECE = 1000
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


def _pieces(head: dict[str, Any], files: Iterable[InstalledFile], *, tail: dict[str, Any]) -> Iterator[bytes]:
    yield json.encode(head)[:-1] + b',"files":['
    comma = b""
    for file in files:
        yield comma
        yield from _file(file)
        comma = b","
    yield b"]," + json.encode(tail)[1:]


def _file(file: InstalledFile) -> Iterator[bytes]:
    record = file.record
    fields = {
        "path": record.path,
        "size": record.size,
        "mode": record.mode,
        "image": file.image,
        "offset": file.offset,
        "hash": record.hash.hex(),
        "crc32": record.crc32,
    }
    yield json.encode(fields)[:-1] + b',"chunks":['
    chunks = ([chunk.length, chunk.id.hex()] for chunk in unpack(record.chunks))
    comma = b""
    while some := list(islice(chunks, _CHUNKS_A_PIECE)):
        yield comma + json.encode(some)[1:-1]
        comma = b","
    yield b"]}"


def _gathered(pieces: Iterable[bytes]) -> Iterator[bytes]:
    held = bytearray()
    for piece in pieces:
        held += piece
        if len(held) >= _PIECE:
            yield bytes(held)
            held.clear()
    yield bytes(held)
