"""Manifests: what an installation consists of, checked before anything in them is believed."""

from collections.abc import Iterator
from functools import cached_property
from itertools import chain, pairwise

import msgspec
from blake3 import blake3

from playdock_client.errors import BadManifest
from playdock_client.names import fault_of_links, fault_of_names, quoted

FORMAT = 1
LARGEST_CHUNK = 1024 * 1024
_ID_LENGTH = 64
_LARGEST_SIZE = 2**53


class Image(msgspec.Struct, frozen=True, gc=False):
    """The files of one version laid end to end."""

    version: str
    size: int


class File(msgspec.Struct, frozen=True, gc=False):
    """A file: its place in an image, its permission bits, and the (length, id) of each of its chunks."""

    path: str
    size: int
    mode: int
    image: int
    offset: int
    hash: str
    chunks: tuple[tuple[int, str], ...]


class Link(msgspec.Struct, frozen=True, gc=False):
    """A symbolic link; its target is relative to the link's folder."""

    path: str
    target: str


class Chunk(msgspec.Struct, frozen=True, gc=False):
    """A chunk where it is used: `number` counts all of a manifest, `start` is its place in the file."""

    number: int
    file: File
    start: int
    length: int
    id: str

    @property
    def place(self) -> int:
        """Its place in the file's image."""
        return self.file.offset + self.start

    @property
    def end(self) -> int:
        """The first place in the image behind it."""
        return self.file.offset + self.start + self.length


class Manifest(msgspec.Struct, frozen=True, dict=True):
    """An installation: files and links sorted by path."""

    format: int
    game: str
    version: str
    size: int
    images: tuple[Image, ...]
    files: tuple[File, ...]
    links: tuple[Link, ...]

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """All chunks of all files in order."""
        return tuple(_chunks(self.files))

    @cached_property
    def by_path(self) -> dict[str, File]:
        return {file.path: file for file in self.files}


class _Head(msgspec.Struct):
    format: int


def read_manifest(data: bytes) -> Manifest:
    """Read a manifest. Raises BadManifest if anything in it could do harm or contradicts the rest."""
    try:
        if (found := msgspec.json.decode(data, type=_Head).format) != FORMAT:
            raise BadManifest(
                f"The server sends manifests of format {found}, which this client cannot read. Update it."
            )
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadManifest("The server sent a manifest that is none. Nothing was changed.") from error
    if fault := _fault(manifest):
        raise BadManifest(f"The server sent a manifest that must not be followed. {fault} Nothing was changed.")
    return manifest


def hash_of(ids: list[bytes]) -> str:
    """Give a file's hash from its chunks' ids."""
    return ids[0].hex() if len(ids) == 1 else blake3(b"".join(ids)).hexdigest()


def _chunks(files: tuple[File, ...]) -> Iterator[Chunk]:
    number = 0
    for file in files:
        start = 0
        for length, name in file.chunks:
            yield Chunk(number, file, start, length, name)
            number += 1
            start += length


def _fault(manifest: Manifest) -> str | None:
    if any(not 0 <= image.size < _LARGEST_SIZE for image in manifest.images):
        return "The size of an image cannot be."
    for file in manifest.files:
        if fault := _fault_of_file(file, images=manifest.images):
            return f"{quoted(file.path)}: {fault}"
    if sum(file.size for file in manifest.files) != manifest.size:
        return "The sizes of its files do not add up."
    return (
        _fault_of_places(manifest.files)
        or fault_of_names(chain((file.path for file in manifest.files), (link.path for link in manifest.links)))
        or fault_of_links({link.path: link.target for link in manifest.links})
    )


def _fault_of_file(file: File, *, images: tuple[Image, ...]) -> str | None:
    if not 0 <= file.image < len(images):
        return "it lies in an image that is not there."
    if file.offset < 0 or file.offset + file.size > images[file.image].size:
        return "it lies outside of its image."
    if sum(length for length, _ in file.chunks) != file.size:
        return "its chunks do not add up to its size."
    if any(not 0 < length <= LARGEST_CHUNK or len(name) != _ID_LENGTH for length, name in file.chunks):
        return "one of its chunks is larger or smaller than chunks are, or has no proper id."
    try:
        ids = [bytes.fromhex(name) for _, name in file.chunks]
    except ValueError:
        return "the id of a chunk is none."
    return None if hash_of(ids) == file.hash else "its hash is not that of its chunks."


def _fault_of_places(files: tuple[File, ...]) -> str | None:
    """No byte of an image belongs to two files, so what is fetched is never more than what is installed."""
    placed = sorted((file for file in files if file.size), key=lambda file: (file.image, file.offset))
    for one, other in pairwise(placed):
        if one.image == other.image and one.offset + one.size > other.offset:
            return f"{quoted(one.path)} and {quoted(other.path)} lie over each other."
    return None
