"""Reading files without blocking, only from the page cache.

Opening or reading a file may wait for a disk or a file server, which the event loop must not do. Linux can return an
error instead: `openat2` with ``RESOLVE_CACHED`` opens only files whose path is in the directory cache, `preadv2` with
``RWF_NOWAIT`` reads only from the page cache. On other systems, and in containers that forbid these calls, nothing is
found in memory.
"""

import ctypes
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from playdock.content.bodies import Piece, Span
from playdock.sending.files import ContentMismatch, OpenedFile
from playdock.storage.locations import VersionLocation

_AVAILABLE = sys.platform == "linux" and hasattr(os, "RWF_NOWAIT")
# The number of the system call is the same on all architectures of Linux.
_OPENAT2 = 437
_AT_FDCWD = -100
_RESOLVE_NO_XDEV = 0x01
_RESOLVE_NO_SYMLINKS = 0x04
_RESOLVE_BENEATH = 0x08
_RESOLVE_CACHED = 0x20
# Reading a range of more files takes longer than switching to a thread.
_MAX_PIECES = 8


class _OpenHow(ctypes.Structure):
    """Linux's ``struct open_how``."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def _open_how(flags: int, resolve: int) -> Any:
    return ctypes.byref(_OpenHow(flags | os.O_CLOEXEC, 0, resolve | _RESOLVE_CACHED))


_HOW_SIZE = ctypes.sizeof(_OpenHow)
if _AVAILABLE:
    _FOLDER = _open_how(os.O_PATH | os.O_DIRECTORY, 0)
    # Without O_NONBLOCK, opening a pipe would wait for its other end. Links and folders where something else is mounted
    # are left to `VersionLocation`, which checks where they lead.
    _FILE = _open_how(os.O_RDONLY | os.O_NONBLOCK, _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_XDEV)
    # PyDLL keeps the interpreter lock: releasing and acquiring it would take longer than these calls.
    _syscall = ctypes.PyDLL(None, use_errno=True).syscall
    _syscall.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
    _syscall.restype = ctypes.c_long


def read_cached(pieces: Iterator[Piece], locations: Sequence[VersionLocation], buffer: memoryview) -> bool:
    """Read pieces of versions that are folders into a buffer of their length, with all checks of an opener.

    Return False if a piece is not in memory, or has changed since the import.
    """
    if not _AVAILABLE:
        return False
    try:
        for number, piece in enumerate(pieces):
            if number == _MAX_PIECES:
                return False
            length = piece.length if isinstance(piece, Span) else len(piece)
            if isinstance(piece, Span):
                _read(piece, locations[piece.file.image], buffer[:length])
            else:
                buffer[:length] = piece
            buffer = buffer[length:]
    except (OSError, ContentMismatch):
        return False
    return True


def _read(span: Span, location: VersionLocation, buffer: memoryview) -> None:
    library = _open(_AT_FDCWD, os.fsencode(location.base), _FOLDER)
    try:
        if not location.policy.is_known_as_allowed(location.base, library):
            raise BlockingIOError
        descriptor = _open(library, os.fsencode(f"{location.name}/{span.file.path}"), _FILE)
    finally:
        os.close(library)
    try:
        opened = OpenedFile(span.file, descriptor, 0, span.file.size, span.file.mtime_ns)
        opened.check()
        if os.preadv(descriptor, [buffer], span.offset, os.RWF_NOWAIT) != span.length:
            raise BlockingIOError
        opened.check()
    finally:
        os.close(descriptor)


def _open(folder: int, path: bytes, how: Any) -> int:
    descriptor: int = _syscall(_OPENAT2, folder, path, how, _HOW_SIZE)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "openat2")
    return descriptor
