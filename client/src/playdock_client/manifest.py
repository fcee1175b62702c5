"""Manifests: the description of an installation, validated before it is used."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import TypeVar

import msgspec
from blake3 import blake3

from playdock_client.decoding import decode_json
from playdock_client.errors import BadManifest
from playdock_client.names import link_problem, name_problem, quoted

_T = TypeVar("_T")

FORMAT = 1
# The server's limit.
MAX_CHUNK_BYTES = 1024 * 1024
# The hexadecimal digits of a BLAKE3 hash.
_ID_LENGTH = 64
# The largest integer that all JSON implementations represent exactly.
_MAX_FILE_BYTES = 2**53


class Image(msgspec.Struct, frozen=True, gc=False):
    """The version image: the files of one version, concatenated."""

    version: str
    size: int


class File(msgspec.Struct, frozen=True, gc=False):
    """A file: its offset in an image, its permission bits, and the (length, id) of each chunk."""

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
    """A chunk of a file: `number` counts all chunks of the manifest, `start` is its offset in the file."""

    number: int
    file: File
    start: int
    length: int
    id: str

    @property
    def image_offset(self) -> int:
        """The offset in the image."""
        return self.file.offset + self.start

    @property
    def end(self) -> int:
        """The offset of its end in the image."""
        return self.file.offset + self.start + self.length


class Manifest(msgspec.Struct, frozen=True, dict=True):
    """An installation, with files and links sorted by path."""

    format: int
    game: str
    version: str
    size: int
    images: tuple[Image, ...]
    files: tuple[File, ...]
    links: tuple[Link, ...]

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """The chunks of all files, in order."""
        return tuple(_chunks(self.files))

    @property
    def chunk_count(self) -> int:
        """How many chunks are numbered."""
        return len(self.chunks)

    @cached_property
    def by_path(self) -> dict[str, File]:
        return {file.path: file for file in self.files}


class ManifestPart(Manifest, frozen=True, dict=True):
    """Some files of a manifest, and everything else of it. The chunks keep the numbers that they have in the whole.

    For each file, `positions` has its position among all files, and `first_chunks` the number of its first chunk.
    `whole_chunks` is the number of all chunks.
    """

    positions: Sequence[int]
    first_chunks: Sequence[int]
    whole_chunks: int

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        return tuple(
            chunk
            for file, first in zip(self.files, self.first_chunks, strict=True)
            for chunk in file_chunks(file, first=first)
        )

    @property
    def chunk_count(self) -> int:
        return self.whole_chunks


class _FormatField(msgspec.Struct):
    format: int


def read_manifest(data: bytes) -> Manifest:
    """Return the manifest. Raises BadManifest if it is inconsistent or unsafe."""
    require_format(data)
    manifest = decode_manifest(data, Manifest)
    if problem := _manifest_problem(manifest):
        raise unsafe_manifest(problem)
    return manifest


def require_format(data: bytes) -> None:
    """Raise BadManifest unless this is a manifest of the supported format, or its beginning."""
    if (found := decode_manifest(data, _FormatField).format) != FORMAT:
        raise BadManifest(
            f"The server sends manifests of format {found}, which this client cannot read. Update the client."
        )


def decode_manifest(data: bytes, kind: type[_T]) -> _T:
    """Return a decoded manifest, or a part of one. Raises BadManifest if it is invalid."""
    try:
        return decode_json(data, kind)
    except msgspec.MsgspecError as error:
        raise BadManifest("The server sent an invalid manifest. Nothing was changed.") from error


def unsafe_manifest(problem: str) -> BadManifest:
    """Return the error for a manifest that must not be installed."""
    return BadManifest(f"The server sent an unsafe manifest. {problem} Nothing was changed.")


def hash_of(ids: list[bytes]) -> str:
    """Return the hash of a file with these chunk ids."""
    return ids[0].hex() if len(ids) == 1 else blake3(b"".join(ids)).hexdigest()


def file_chunks(file: File, *, first: int = 0) -> Iterator[Chunk]:
    """Yield the chunks of a file. `first` is the number of the first one."""
    start = 0
    for number, (length, chunk_id) in enumerate(file.chunks, first):
        yield Chunk(number, file, start, length, chunk_id)
        start += length


def _chunks(files: tuple[File, ...]) -> Iterator[Chunk]:
    first = 0
    for file in files:
        yield from file_chunks(file, first=first)
        first += len(file.chunks)


def files_problem(manifest: Manifest) -> str | None:
    """Return a message about an image or a file that is invalid by itself, or None."""
    if any(not 0 <= image.size < _MAX_FILE_BYTES for image in manifest.images):
        return "The size of an image is invalid."
    for file in manifest.files:
        if problem := _file_problem(file, images=manifest.images):
            return f"{quoted(file.path)}: {problem}"
    return None


def _manifest_problem(manifest: Manifest) -> str | None:
    if problem := files_problem(manifest):
        return problem
    if sum(file.size for file in manifest.files) != manifest.size:
        return "The sum of the file sizes is wrong."
    return (
        _order_problem(manifest.files)
        or _overlap_problem(manifest.files)
        or name_problem(chain((file.path for file in manifest.files), (link.path for link in manifest.links)))
        or link_problem({link.path: link.target for link in manifest.links})
    )


def _file_problem(file: File, *, images: tuple[Image, ...]) -> str | None:
    if not 0 <= file.image < len(images):
        return "its image does not exist."
    if file.offset < 0 or file.offset + file.size > images[file.image].size:
        return "it is outside its image."
    if sum(length for length, _ in file.chunks) != file.size:
        return "the sum of its chunks differs from its size."
    if any(not 0 < length <= MAX_CHUNK_BYTES or len(chunk_id) != _ID_LENGTH for length, chunk_id in file.chunks):
        return "one of its chunks has an invalid size or id."
    try:
        ids = [bytes.fromhex(chunk_id) for _, chunk_id in file.chunks]
    except ValueError:
        return "a chunk id is not hexadecimal."
    return None if hash_of(ids) == file.hash else "its hash differs from that of its chunks."


def _order_problem(files: tuple[File, ...]) -> str | None:
    unordered = (other for one, other in pairwise(files) if one.path > other.path)
    return next((f"{quoted(each.path)} is not in order." for each in unordered), None)


def _overlap_problem(files: tuple[File, ...]) -> str | None:
    """Return a message if two files share bytes of an image, since a download could then exceed the installation."""
    by_offset = sorted((file for file in files if file.size), key=lambda file: (file.image, file.offset))
    for one, other in pairwise(by_offset):
        if one.image == other.image and one.offset + one.size > other.offset:
            return f"{quoted(one.path)} and {quoted(other.path)} overlap."
    return None
