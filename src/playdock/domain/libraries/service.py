"""The backend of a library, and whether its folder can be used."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from playdock import stored
from playdock.domain.libraries.schemas import BackendKind
from playdock.kit.messages import Message
from playdock.models import Library
from playdock.settings import Settings
from playdock.storage.backends import Filesystem, FlatFilesystem, LibraryBackend
from playdock.storage.file_cache import FileCache
from playdock.storage.library_policy import ArchiveLimits, LibraryPolicy, LocationUnusable
from playdock.stored import LibraryOptions, LibraryRules

# SQLite writes these files next to the database (https://sqlite.org/tempfiles.html).
_DATABASE_FILES = ("", "-wal", "-shm", "-journal")

_BACKENDS: dict[BackendKind, Callable[[Path, LibraryPolicy], LibraryBackend]] = {
    BackendKind.FILESYSTEM: Filesystem,
    BackendKind.FLAT_FILESYSTEM: FlatFilesystem,
}


def base_dir_of(library: Library) -> str:
    """Return the absolute path of a library's folder."""
    return stored.decode(library.options, LibraryOptions).base_dir


def rules_of(library: Library) -> LibraryRules:
    """Return what is imported from a library without a person."""
    return stored.decode(library.rules, LibraryRules) if library.rules else LibraryRules()


def policy_of(settings: Settings, unpacked: FileCache | None = None) -> LibraryPolicy:
    """Return where libraries may be: what the service writes must not be in a library.

    ``unpacked`` is the cache for what is unpacked from archives.
    """
    scheme, _, database = settings.database.partition(":///")
    files = [Path(database.partition("?")[0] + suffix) for suffix in _DATABASE_FILES] if scheme == "sqlite" else []
    archives = ArchiveLimits(settings.archive_max_files, settings.archive_max_bytes)
    if settings.backup_folder:
        files.append(Path(settings.backup_folder))
    return LibraryPolicy((settings.data_dir, settings.objects_dir, *files), settings.allowed_roots, archives, unpacked)


class LibraryBackends(Struct, frozen=True):
    """The backends of libraries; the policy says where libraries may be."""

    policy: LibraryPolicy

    def of(self, library: Library) -> LibraryBackend:
        return _BACKENDS[BackendKind(library.backend)](Path(base_dir_of(library)), self.policy)

    def fault_of(self, library: Library) -> Message | None:
        """Return why a library's folder cannot currently be used, and what to do; None if it can."""
        try:
            self.of(library).check()
        except LocationUnusable as reason:
            return reason.message
        return None
