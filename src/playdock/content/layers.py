"""Serialization of layers, and merging of layers to an installation.

A serialized layer is a signature with the format number, followed by zstd-compressed pieces of MessagePack, each after
its length, so that it is written and read piece by piece. When layers are merged, the newest layer with a path
determines its content. Layers and installations with more than 100,000 files are never unpacked as a whole
(`packed_list.py`).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from heapq import merge as merge_sorted
from itertools import accumulate, chain
from operator import attrgetter

import msgspec
import zstandard

from playdock.content.errors import UnreadableRecord
from playdock.content.names import NameCheck, check_links, parents
from playdock.content.packed_list import MANY, collect_pieces, pieces
from playdock.content.records import FileRecord, Layer, LinkRecord, weigh_record

_MARK = b"playdock-layer"
_FORMAT = 1
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

    files: Collection[InstalledFile]
    links: tuple[LinkRecord, ...]
    images: tuple[int, ...]
    removed: tuple[str, ...]

    @property
    def size(self) -> int:
        """The total size of the files in bytes."""
        return sum(file.record.size for file in self.files)


def encode(layer: Layer) -> Iterator[bytes]:
    """Yield the serialized layer; equal layers give equal bytes."""
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    yield _MARK + bytes([_FORMAT])
    for piece in _pieces(layer):
        yield packer.compress(len(piece).to_bytes(8, "little"))
        yield packer.compress(piece)
    yield packer.flush()


def decode(data: Iterable[bytes]) -> Layer:
    """Return the layer in the result of `encode`.

    Raises:
        UnreadableRecord: the bytes are damaged or have an unknown format.
    """
    source = _Source(data)
    try:
        mark = source.read(len(_MARK) + 1)
        mark += source.read(len(_MARK) + 1 - len(mark))
        if not mark.startswith(_MARK):
            raise UnreadableRecord("This is not a stored layer. Re-import the version.")
        if mark != _MARK + bytes([_FORMAT]):
            raise UnreadableRecord(f"A stored layer does not have the supported format {_FORMAT}. Upgrade Playdock.")
        return _decode(source)
    except (zstandard.ZstdError, msgspec.DecodeError, EOFError) as damage:
        raise UnreadableRecord("A stored layer is damaged. Re-import the version.") from damage


def merge(layers: Sequence[Layer]) -> Installation:
    """Merge layers, base first.

    An entry replaces whatever has its path in the layers below: a file, a link, or a folder with its content. It also
    replaces a file or link below that has the path of one of its parent folders. Each layer was checked at its import.

    Raises:
        UnusableVersion: several layers together have names that differ only by case, or a link that leaves the version.
    """
    above = _Above(layers)
    files: Collection[InstalledFile] = _MergedFiles(layers, above)
    if sum(len(layer.files) for layer in layers) <= MANY:
        files = tuple(files)
    links = [link for image, layer in enumerate(layers) for link in layer.links if not above.hide(link.path, image)]
    links.sort(key=attrgetter("path"))
    if len(layers) > 1:
        check = NameCheck()
        for path in merge_sorted((file.record.path for file in files), (link.path for link in links)):
            check.add(path)
        check_links({link.path: link.target for link in links})
    images = tuple(layer.size for layer in layers)
    return Installation(files, tuple(links), images, _still_removed(layers, files=files, links=links))


class _MergedFiles(Collection[InstalledFile]):
    """The files of an installation, which are merged whenever they are read."""

    def __init__(self, layers: Sequence[Layer], above: "_Above") -> None:
        self._layers = layers
        self._above = above
        self._count = sum(len(layer.files) for layer in layers) if not above else sum(1 for _ in self)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[InstalledFile]:
        if len(self._layers) == 1:
            return _placed(self._layers[0], image=0)
        visible = (self._visible(image, layer) for image, layer in enumerate(self._layers))
        return merge_sorted(*visible, key=attrgetter("record.path"))

    def __contains__(self, file: object) -> bool:
        return any(file == each for each in self)

    def _visible(self, image: int, layer: Layer) -> Iterator[InstalledFile]:
        placed = _placed(layer, image=image)
        return (file for file in placed if not self._above.hide(file.record.path, image)) if self._above else placed


class _Above:
    """The paths in the layers above the base, with the number of the highest layer that has each of them."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self._gone: dict[str, int] = {}
        self._folders: dict[str, int] = {}
        for image, layer in enumerate(layers[1:], 1):
            for path in _paths(layer):
                self._gone[path] = image
                self._folders.update(dict.fromkeys(parents(path), image))
            self._gone.update(dict.fromkeys(layer.removed, image))

    def __bool__(self) -> bool:
        """Whether anything may be hidden below."""
        return bool(self._gone)

    def hide(self, path: str, image: int) -> bool:
        """Return whether a layer above another one hides a path of that one."""
        if self._gone.get(path, 0) > image or self._folders.get(path, 0) > image:
            return True
        return any(self._gone.get(folder, 0) > image for folder in parents(path))


def _paths(layer: Layer) -> Iterator[str]:
    yield from (file.path for file in layer.files)
    yield from (link.path for link in layer.links)


def _placed(layer: Layer, *, image: int) -> Iterator[InstalledFile]:
    offsets = accumulate((file.size for file in layer.files), initial=0)
    return (InstalledFile(file, image, offset) for file, offset in zip(layer.files, offsets, strict=False))


def _still_removed(
    layers: Iterable[Layer], *, files: Iterable[InstalledFile], links: Iterable[LinkRecord]
) -> tuple[str, ...]:
    removed = {path for layer in layers for path in layer.removed}
    if removed:
        for path in chain((link.path for link in links), (file.record.path for file in files)):
            removed.difference_update((path, *parents(path)))
    return tuple(sorted(removed))


def _pieces(layer: Layer) -> Iterator[bytes]:
    yield msgspec.msgpack.encode(_Rest(layer.links, layer.removed, len(layer.files)))
    yield from map(msgspec.msgpack.encode, pieces(layer.files, weigh=weigh_record))


def _decode(source: "_Source") -> Layer:
    with zstandard.ZstdDecompressor().stream_reader(source) as reader:  # type: ignore[arg-type]
        rest = msgspec.msgpack.decode(_piece(reader.read), type=_Rest)
        return Layer(collect_pieces(_files(reader.read, rest.files), FileRecord), rest.links, rest.removed)


def _files(read: Callable[[int], bytes], count: int) -> Iterator[list[FileRecord]]:
    decoder = msgspec.msgpack.Decoder(list[FileRecord])
    while count > 0:
        piece = decoder.decode(_piece(read))
        count -= len(piece)
        yield piece


def _piece(read: Callable[[int], bytes]) -> bytes:
    return _exactly(read, int.from_bytes(_exactly(read, 8), "little"))


def _exactly(read: Callable[[int], bytes], length: int) -> bytes:
    data_read = bytearray()
    while len(data_read) < length:
        more = read(min(_READ, length - len(data_read)))
        if not more:
            raise EOFError
        data_read += more
    return bytes(data_read)


class _Source:
    """Pieces of bytes, read like a file."""

    def __init__(self, pieces_of_bytes: Iterable[bytes]) -> None:
        self._pieces = iter(pieces_of_bytes)
        self._left = b""

    def read(self, size: int) -> bytes:
        """Return at most ``size`` bytes; none at the end."""
        while not self._left:
            more = next(self._pieces, None)
            if more is None:
                return b""
            self._left = more
        found, self._left = self._left[:size], self._left[size:]
        return found
