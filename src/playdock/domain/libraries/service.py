"""The backend of a library, and whether its folder can be read."""

from collections.abc import Callable
from pathlib import Path

from playdock import stored
from playdock.domain.libraries.schemas import BackendKind
from playdock.kit.messages import Message
from playdock.models import Library
from playdock.storage.backends import Filesystem, FlatFilesystem, LibraryBackend, LocationUnusable
from playdock.stored import LibraryOptions

_BACKENDS: dict[BackendKind, Callable[[Path], LibraryBackend]] = {
    BackendKind.FILESYSTEM: Filesystem,
    BackendKind.FLAT_FILESYSTEM: FlatFilesystem,
}


def base_dir_of(library: Library) -> str:
    """Return the absolute path of a library's folder."""
    return stored.decode(library.options, LibraryOptions).base_dir


def backend_of(library: Library) -> LibraryBackend:
    return _BACKENDS[BackendKind(library.backend)](Path(base_dir_of(library)))


def fault_of(library: Library) -> Message | None:
    """Return why a library's folder cannot currently be read, and what to do; None if it can."""
    try:
        backend_of(library).check()
    except LocationUnusable as reason:
        return reason.message
    return None


def is_working(library: Library) -> bool:
    return fault_of(library) is None
