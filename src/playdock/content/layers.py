"""Serialization of layers, and merging of layers to an installation.

A serialized layer is a signature with the format number, followed by zstd-compressed pieces of MessagePack, each after
its length, so that neither encoding nor decoding needs two complete copies in memory. When layers are merged, the
newest layer with a path determines its content.
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
# Pieces have about 1 MiB, which bounds the memory for encoding, and count small files with an estimate of their size.
_PIECE = 1024 * 1024
_MAX_FILES_PER_PIECE = 2000
# Limits the memory that a damaged length can allocate at once.
_READ = 1024 * 1024


class _Rest(msgspec.Struct, array_like=True):
    """The first piece: everything in a layer except its files, and the number of files."""

    links: tuple[LinkRecord, ...]
    removed: tuple[str, ...]
    files: int


class InstalledFile(msgspec.Struct, frozen=True, gc=False):
    """A file of an installation; ``image`` is the number of its layer, base first, ``offset`` its offset there."""

    record: FileRecord
    image: int
    offset: int


class Installation(msgspec.Struct, frozen=True):
    """Merged layers: files and links sorted by path, the sizes of the images of all layers, and removed paths."""

    files: tuple[InstalledFile, ...]
    links: tuple[LinkRecord, ...]
    images: tuple[int, ...]
    removed: tuple[str, ...]

    @property
    def size(self) -> int:
        """The total size of the files in bytes."""
        return sum(file.record.size for file in self.files)


def encode(layer: Layer) -> bytes:
    """Return the serialized layer; equal layers give equal bytes."""
    packed = BytesIO()
    packed.write(_MARK + bytes([_FORMAT]))
    with zstandard.ZstdCompressor(level=3).stream_writer(packed, closefd=False) as packer:
        for piece in _pieces(layer):
            packer.write(len(piece).to_bytes(8, "little"))
            packer.write(piece)
    return packed.getvalue()


def decode(data: bytes) -> Layer:
    """Return the layer in the result of `encode`.

    Raises:
        UnreadableRecord: the bytes are damaged or have an unknown format.
    """
    if not data.startswith(_MARK):
        raise UnreadableRecord("This is not a stored layer. Re-import the version.")
    if not data.startswith(_MARK + bytes([_FORMAT])):
        raise UnreadableRecord(f"A stored layer does not have the supported format {_FORMAT}. Upgrade Playdock.")
    try:
        return _decode(memoryview(data)[len(_MARK) + 1 :])
    except (zstandard.ZstdError, msgspec.DecodeError, EOFError) as damage:
        raise UnreadableRecord("A stored layer is damaged. Re-import the version.") from damage


def merge(layers: Sequence[Layer]) -> Installation:
    """Merge layers, base first.

    An entry replaces whatever has its path in the layers below: a file, a link, or a folder with its content. It also
    replaces a file or link below that has the path of one of its parent folders. Each layer was checked at its import.

    Raises:
        UnusableVersion: several layers together have names that differ only by case, or a link that leaves the version.
    """
    files: list[InstalledFile] = []
    links: list[LinkRecord] = []
    above = _Above()
    for image, layer in reversed(tuple(enumerate(layers))):
        placed = _placed(layer, image=image)
        files += (file for file in placed if not above.hide(file.record.path)) if above else placed
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
    """The paths in the layers above a layer, which hide those of the layer."""

    def __init__(self) -> None:
        self._gone: set[str] = set()
        self._folders: set[str] = set()

    def add(self, layer: Layer) -> None:
        for path in _paths(layer):
            self._gone.add(path)
            self._folders.update(parents(path))
        self._gone.update(layer.removed)

    def __bool__(self) -> bool:
        """Whether anything is hidden below."""
        return bool(self._gone)

    def hide(self, path: str) -> bool:
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
    pending: list[FileRecord] = []
    space = _PIECE
    for file in layer.files:
        pending.append(file)
        space -= len(file.chunks) + _PIECE // _MAX_FILES_PER_PIECE
        if space <= 0:
            yield msgspec.msgpack.encode(pending)
            pending, space = [], _PIECE
    if pending:
        yield msgspec.msgpack.encode(pending)


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
    data_read = bytearray()
    while len(data_read) < length:
        more = source.read(min(_READ, length - len(data_read)))
        if not more:
            raise EOFError
        data_read += more
    return bytes(data_read)
