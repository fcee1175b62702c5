"""Manifests as they are received: read as a whole, or in sections if they are large.

The manifest of more than 100,000 files or 400,000 chunks is in lines, which is still JSON: the first line ends after
`"files":[`, the following ones have complete entries of `files` separated by commas, and the last one starts with `]`.
A section has the files of some lines. Smaller manifests have one section.
"""

from collections.abc import Iterator
from functools import cached_property
from heapq import merge
from io import BufferedReader, BytesIO
from typing import IO, TypeAlias

import msgspec
import zstandard

from playdock_client.errors import BadResponse
from playdock_client.manifest import (
    File,
    Image,
    Link,
    Manifest,
    decode_manifest,
    files_problem,
    read_manifest,
    require_format,
    unsafe_manifest,
)
from playdock_client.names import NameCheck, link_problem, quoted
from playdock_client.transport import Body, Broken
from playdock_client.unpacking import MAX_WINDOW_BYTES

_Stream: TypeAlias = BufferedReader | IO[bytes]
# The manifest of a game with millions of chunks takes a few hundred megabytes.
MAX_MANIFEST_BYTES = 512 * 1024 * 1024
# Larger manifests are kept in a temporary file until they are read.
MAX_MANIFEST_IN_MEMORY = 16 * 1024 * 1024
# One file of 800 GB.
_MAX_LINE_BYTES = 256 * 1024 * 1024
_FIRST_LINE_END = b'"files":[\n'
# More than any version has layers: the first line has one image for each.
_MAX_FIRST_LINE_BYTES = 1024 * 1024
# Objects for as many files and chunks take 30 MB while a section is installed.
_MAX_SECTION_FILES = 25_000
_MAX_SECTION_CHUNKS = 50_000
_READ = 128 * 1024


class Contents(msgspec.Struct, frozen=True):
    """All of a manifest except its files: how many there are, their total size in bytes, and how many chunks.

    `length` is that of the JSON in bytes.
    """

    game: str
    version: str
    size: int
    images: tuple[Image, ...]
    links: tuple[Link, ...]
    files: int
    chunks: int
    length: int


class _Head(msgspec.Struct):
    format: int
    game: str
    version: str
    size: int
    images: tuple[Image, ...]


class _Tail(msgspec.Struct):
    links: tuple[Link, ...]


class ManifestFile:
    """A manifest in a file, in the content encoding in which it was received, and its ETag without quotes."""

    def __init__(self, file: IO[bytes], *, encoding: str, etag: str) -> None:
        self._file = file
        self._encoding = encoding
        self.etag = etag

    @classmethod
    def receive(cls, body: Body, file: IO[bytes]) -> "ManifestFile":
        """Write the body of a response into a file. Raises BadResponse if it is too large or has another encoding."""
        encoding, size = body.header("Content-Encoding"), 0
        file.seek(0)
        file.truncate()
        if encoding not in ("", "identity", "zstd"):
            raise BadResponse("The server used an unsupported Content-Encoding.")
        while piece := body.read_some(_READ):
            size += len(piece)
            if size > MAX_MANIFEST_BYTES:
                raise BadResponse("The response is larger than allowed.")
            file.write(piece)
        return cls(file, encoding=encoding, etag=body.etag)

    @cached_property
    def whole(self) -> Manifest:
        """The manifest, read as a whole. Raises BadManifest if it is inconsistent or unsafe."""
        joined = BytesIO()
        joined.writelines(self.pieces())
        return read_manifest(joined.getvalue())

    @cached_property
    def contents(self) -> Contents:
        """What the manifest contains. Raises BadManifest if it is inconsistent or unsafe."""
        if self.is_in_lines:
            return self._check_lines()
        whole, counts, length = self.whole, _Counts(), sum(map(len, self.pieces()))
        counts.add(whole)
        return Contents(
            whole.game, whole.version, whole.size, whole.images, whole.links, counts.files, counts.chunks, length
        )

    def pieces(self) -> Iterator[bytes]:
        """Yield the JSON. Raises BadResponse if it is too large."""
        left = MAX_MANIFEST_BYTES
        reader = self._reader()
        while piece := _read(reader, min(_READ, left + 1)):
            left -= len(piece)
            if left < 0:
                raise BadResponse("The response is larger than allowed.")
            yield piece

    @cached_property
    def is_in_lines(self) -> bool:
        """Whether the manifest can be read in sections."""
        return _line(self._reader(), _MAX_FIRST_LINE_BYTES).endswith(_FIRST_LINE_END)

    def files(self) -> Iterator[File]:
        """Yield the files in the order of their paths. Raises BadManifest like `contents`."""
        for section in self.sections():
            yield from section.files

    def sections(self) -> Iterator[Manifest]:
        """Yield manifests of consecutive files, without links. Raises BadManifest like `contents`."""
        _ = self.contents
        return self._sections() if self.is_in_lines else iter((msgspec.structs.replace(self.whole, links=()),))

    def _sections(self) -> Iterator[Manifest]:
        """Yield the sections of a manifest in lines, which have not been checked."""
        head = self._head()
        files: list[File] = []
        chunks = 0
        for line in self._entries():
            found = decode_manifest(b"[" + line + b"]", list[File])
            files += found
            chunks += sum(len(file.chunks) for file in found)
            if len(files) >= _MAX_SECTION_FILES or chunks >= _MAX_SECTION_CHUNKS:
                yield _section(head, files)
                files, chunks = [], 0
        if files:
            yield _section(head, files)

    def _check_lines(self) -> Contents:
        """Check a manifest in lines.

        Files have to be in the order of their paths, and those of an image in the order of their offsets too, so that
        this needs no list of them.
        """
        head, links = self._head(), self._links()
        length = sum(map(len, self.pieces()))
        counts, names = _Counts(), NameCheck()
        for path in merge(self._checked_paths(head.images, counts), sorted(link.path for link in links)):
            if problem := names.add(path):
                raise unsafe_manifest(problem)
        if counts.size != head.size:
            raise unsafe_manifest("The sum of the file sizes is wrong.")
        if problem := link_problem({link.path: link.target for link in links}):
            raise unsafe_manifest(problem)
        return Contents(head.game, head.version, head.size, head.images, links, counts.files, counts.chunks, length)

    def _checked_paths(self, images: tuple[Image, ...], counts: "_Counts") -> Iterator[str]:
        """Yield the paths of all files, count them, and raise BadManifest unless everything is in order."""
        ends, last = [0] * len(images), ""
        for section in self._sections():
            if problem := files_problem(section):
                raise unsafe_manifest(problem)
            counts.add(section)
            for file in section.files:
                if file.path <= last or file.offset < ends[file.image]:
                    raise unsafe_manifest(f"{quoted(file.path)} is not in order.")
                last, ends[file.image] = file.path, file.offset + file.size
                yield file.path

    def _head(self) -> _Head:
        first = _line(self._reader(), _MAX_FIRST_LINE_BYTES).rstrip()
        require_format(first + b"]}")
        return decode_manifest(first + b"]}", _Head)

    def _links(self) -> tuple[Link, ...]:
        last = b""
        for line in self._lines():
            last = line
        if not last.startswith(b"],"):
            raise unsafe_manifest("It is incomplete.")
        return decode_manifest(b"{" + last[2:], _Tail).links

    def _entries(self) -> Iterator[bytes]:
        """Yield the lines with files, without the comma at the end."""
        lines = self._lines()
        next(lines)
        for line in lines:
            if line.startswith(b"]"):
                return
            yield line.rstrip(b"\n").removesuffix(b",")

    def _lines(self) -> Iterator[bytes]:
        reader = self._reader()
        while line := _line(reader, _MAX_LINE_BYTES):
            yield line

    def _reader(self) -> _Stream:
        """Return the JSON as a stream, from its beginning. The previous stream is invalid then."""
        self._file.seek(0)
        if self._encoding != "zstd":
            return self._file
        decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
        return BufferedReader(decompressor.stream_reader(self._file, read_size=_READ, closefd=False), _READ)


class _Counts:
    """How many files and chunks there are, and how many bytes."""

    def __init__(self) -> None:
        self.files, self.chunks, self.size = 0, 0, 0

    def add(self, section: Manifest) -> None:
        self.files += len(section.files)
        self.chunks += sum(len(file.chunks) for file in section.files)
        self.size += section.size


def _section(head: _Head, files: list[File]) -> Manifest:
    size = sum(file.size for file in files)
    return Manifest(head.format, head.game, head.version, size, head.images, tuple(files), ())


def _line(reader: _Stream, most: int) -> bytes:
    try:
        return reader.readline(most)
    except zstandard.ZstdError as error:
        raise Broken("The response cannot be decompressed.") from error


def _read(reader: _Stream, size: int) -> bytes:
    try:
        return reader.read(size)
    except zstandard.ZstdError as error:
        raise Broken("The response cannot be decompressed.") from error
