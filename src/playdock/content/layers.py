"""Layers: how one is kept as bytes, and how several become an installation.

Kept: a mark with the format's number, then zstd over pieces of MessagePack, each after its length, so that neither side
needs all of it twice. Merged: the newest layer that has a path decides what is there.
"""

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import accumulate, chain

import msgspec
import zstandard

from playdock.content.errors import UnreadableRecord
from playdock.content.names import check_links, check_names, parents
from playdock.content.records import FileRecord, Layer, LinkRecord

_MARK = b"playdock-layer"
_FORMAT = 1
_PIECE = 1024 * 1024
_MOST_FILES_A_PIECE = 2000
_READ = 1024 * 1024


class _Rest(msgspec.Struct, array_like=True):
    """The first piece: all of a layer but its files, and how many of those follow."""

    links: tuple[LinkRecord, ...]
    removed: tuple[str, ...]
    files: int


class InstalledFile(msgspec.Struct, frozen=True, gc=False):
    """A file of an installation: `image` is the number of its layer, base first; `offset` its place in that image."""

    record: FileRecord
    image: int
    offset: int


class Installation(msgspec.Struct, frozen=True):
    """Layers merged: files and links sorted by path, the size of each layer's image, and what the layers took away."""

    files: tuple[InstalledFile, ...]
    links: tuple[LinkRecord, ...]
    images: tuple[int, ...]
    removed: tuple[str, ...]

    @property
    def size(self) -> int:
        """The size of the installed files in bytes."""
        return sum(file.record.size for file in self.files)


def encode(layer: Layer) -> bytes:
    """Put a layer into bytes; equal layers give equal bytes."""
    packed = BytesIO()
    packed.write(_MARK + bytes([_FORMAT]))
    with zstandard.ZstdCompressor(level=3).stream_writer(packed, closefd=False) as packer:
        for piece in _pieces(layer):
            packer.write(len(piece).to_bytes(8, "little"))
            packer.write(piece)
    return packed.getvalue()


def decode(data: bytes) -> Layer:
    """Read what `encode` gave. Raises UnreadableRecord for damage and for a format this release does not know."""
    if not data.startswith(_MARK):
        raise UnreadableRecord("These are not the bytes of a layer. Import the version again.")
    if not data.startswith(_MARK + bytes([_FORMAT])):
        raise UnreadableRecord(f"A layer is not of format {_FORMAT}, the one this release reads. Upgrade the service.")
    try:
        return _decode(memoryview(data)[len(_MARK) + 1 :])
    except (zstandard.ZstdError, msgspec.DecodeError, EOFError) as damage:
        raise UnreadableRecord("The bytes of a layer are damaged. Import the version again.") from damage


def merge(layers: Sequence[Layer]) -> Installation:
    """Lay layers over each other, base first.

    What a layer brings takes the place of whatever has its path below: a file, a link, or a folder with all that is in
    it; and what would be inside of a file or link below takes that one's place. A layer was checked when it was made;
    raises UnusableVersion where several together hold names that differ only by case, or a link that leaves.
    """
    files: list[InstalledFile] = []
    links: list[LinkRecord] = []
    above = _Above()
    for image, layer in reversed(tuple(enumerate(layers))):
        files += (file for file in _placed(layer, image=image) if not above.hide(file.record.path))
        links += (link for link in layer.links if not above.hide(link.path))
        if image:
            above.add(layer)
    files.sort(key=lambda file: file.record.path)
    links.sort(key=lambda link: link.path)
    if len(layers) > 1:
        check_names(chain((file.record.path for file in files), (link.path for link in links)))
        check_links({link.path: link.target for link in links})
    images = tuple(layer.size for layer in layers)
    return Installation(tuple(files), tuple(links), images, _still_removed(layers, files=files, links=links))


class _Above:
    """What the layers above one bring, and so hide in it."""

    def __init__(self) -> None:
        self._gone: set[str] = set()
        self._folders: set[str] = set()

    def add(self, layer: Layer) -> None:
        for path in _paths(layer):
            self._gone.add(path)
            self._folders.update(parents(path))
        self._gone.update(layer.removed)

    def hide(self, path: str) -> bool:
        if not self._gone:
            return False
        return path in self._gone or path in self._folders or not self._gone.isdisjoint(parents(path))


def _paths(layer: Layer) -> Iterator[str]:
    return chain((file.path for file in layer.files), (link.path for link in layer.links))


def _placed(layer: Layer, *, image: int) -> Iterator[InstalledFile]:
    offsets = accumulate((file.size for file in layer.files), initial=0)
    return (InstalledFile(file, image, offset) for file, offset in zip(layer.files, offsets, strict=False))


def _still_removed(
    layers: Iterable[Layer], *, files: Iterable[InstalledFile], links: Iterable[LinkRecord]
) -> tuple[str, ...]:
    removed = {path for layer in layers for path in layer.removed}
    if not removed:
        return ()
    there = {file.record.path for file in files} | {link.path for link in links}
    there.update(tuple(chain.from_iterable(map(parents, there))))
    return tuple(sorted(removed - there))


def _pieces(layer: Layer) -> Iterator[bytes]:
    yield msgspec.msgpack.encode(_Rest(layer.links, layer.removed, len(layer.files)))
    held: list[FileRecord] = []
    room = _PIECE
    for file in layer.files:
        held.append(file)
        room -= len(file.chunks) + _PIECE // _MOST_FILES_A_PIECE
        if room <= 0:
            yield msgspec.msgpack.encode(held)
            held, room = [], _PIECE
    if held:
        yield msgspec.msgpack.encode(held)


def _decode(packed: memoryview) -> Layer:
    with zstandard.ZstdDecompressor().stream_reader(packed) as source:
        rest = msgspec.msgpack.decode(_piece(source), type=_Rest)
        files: list[FileRecord] = []
        while len(files) < rest.files:
            files += msgspec.msgpack.decode(_piece(source), type=list[FileRecord])
    return Layer(tuple(files), rest.links, rest.removed)


def _piece(source: zstandard.ZstdDecompressionReader) -> bytes:
    length = int.from_bytes(_exactly(source, 8), "little")
    return _exactly(source, length)


def _exactly(source: zstandard.ZstdDecompressionReader, length: int) -> bytes:
    found = bytearray()
    while len(found) < length:
        more = source.read(min(_READ, length - len(found)))
        if not more:
            raise EOFError
        found += more
    return bytes(found)
