"""Opening, checking and reading the files of a body. The storage implements `Opener`."""

import os
import sys
from collections.abc import Iterator
from typing import Protocol

from msgspec import Struct

from playdock.content.bodies import Piece, Span
from playdock.content.damage import FileProblem
from playdock.content.file_table import ServedFile

# Large enough that system calls cost little, small enough for many readers at once.
_BLOCK_BYTES = 1024 * 1024
# Checking 256 files takes a few milliseconds, and finds most missing files before the header is sent.
_MAX_CHECKED_FILES = 256


class ContentMismatch(Exception):
    """A file of a library is missing, unreadable or changed since the import."""

    def __init__(self, file: ServedFile, fault: FileProblem) -> None:
        super().__init__(f"{file.path}: {fault}")
        self.file = file
        self.fault = fault


class LocationUnavailable(Exception):
    """The library of a file is not available, so the state of the file is unknown."""


class OpenedFile(Struct):
    """An open file. Its bytes begin at offset ``base`` of the descriptor, whose size and time must not change.

    If the descriptor is that of a part of the file, ``base`` is negative, and ``end`` is where the part ends.
    """

    file: ServedFile
    descriptor: int
    base: int
    size: int
    mtime_ns: int
    end: int = sys.maxsize

    def check(self) -> None:
        """Raise ContentMismatch if the file has been written since the import."""
        status = os.fstat(self.descriptor)
        if (status.st_size, status.st_mtime_ns) != (self.size, self.mtime_ns):
            raise ContentMismatch(self.file, FileProblem.CHANGED)

    def close(self) -> None:
        os.close(self.descriptor)


class Opener(Protocol):
    """Opens the files of one body, for one thread at a time."""

    def open(self, file: ServedFile, offset: int = 0) -> OpenedFile:
        """Open a file that is unchanged since the import, at least the part with the byte at ``offset``.

        The caller must close it.

        Raises:
            ContentMismatch: the file has changed.
            LocationUnavailable: its library is not available.
            OSError: the disk failed.
        """
        ...

    def check(self, file: ServedFile) -> None:
        """Check that a file is unchanged since the import, without reading it. Raises the same as `open`."""
        ...

    def release(self) -> None:
        """Close what is kept open only to open the next file faster."""
        ...


def read(span: Span, opener: Opener) -> bytes:
    """Read a short span and return its bytes.

    Raises:
        ContentMismatch: the file has changed since the import.
        OSError: the disk failed.
    """
    data = _read_opened(span, opener)
    while len(data) < span.length:
        rest = _read_opened(Span(span.file, span.offset + len(data), span.length - len(data)), opener)
        if not rest:
            raise ContentMismatch(span.file, FileProblem.CHANGED)
        data += rest
    return data


def _read_opened(span: Span, opener: Opener) -> bytes:
    """Return the beginning of a span: what the opener opens at once, usually all of it."""
    opened = opener.open(span.file, span.offset)
    try:
        data = os.pread(opened.descriptor, min(span.length, opened.end - span.offset), opened.base + span.offset)
        opened.check()
    finally:
        opened.close()
    return data


def read_blocks(pieces: Iterator[Piece], opener: Opener) -> Iterator[bytes]:
    """Yield the bytes of pieces in order, at most 1 MiB at a time. No file is open in between.

    Raises:
        ContentMismatch: a file has changed since the import.
        OSError: the disk failed.
    """
    for piece in pieces:
        if isinstance(piece, bytes):
            yield piece
            continue
        for offset in range(0, piece.length, _BLOCK_BYTES):
            try:
                data = read(Span(piece.file, piece.offset + offset, min(_BLOCK_BYTES, piece.length - offset)), opener)
            finally:
                opener.release()
            yield data


def check_first(pieces: Iterator[Piece], opener: Opener) -> None:
    """Open the first file of a body and check the following ones, before the header is sent.

    Raises:
        ContentMismatch: a file has changed since the import.
        OSError: the disk failed.
    """
    checked: set[tuple[int, str]] = set()
    for piece in pieces:
        if isinstance(piece, Span) and (key := (piece.file.image, piece.file.path)) not in checked:
            if checked:
                opener.check(piece.file)
            else:
                opener.open(piece.file).close()
            checked.add(key)
        if len(checked) >= _MAX_CHECKED_FILES:
            break
    opener.release()
