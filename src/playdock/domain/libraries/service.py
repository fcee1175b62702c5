"""The backend of a library, and whether its folder can be used."""

import os
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from playdock import stored
from playdock.domain.libraries.schemas import BackendKind
from playdock.kit.messages import Message
from playdock.kit.storage_failures import system_error
from playdock.models import Library
from playdock.settings import Settings
from playdock.storage.backends import Filesystem, FlatFilesystem, LibraryBackend
from playdock.storage.file_cache import FileCache
from playdock.storage.library_policy import ArchiveLimits, LibraryPolicy, LocationUnusable
from playdock.stored import LibraryOptions, LibraryRules

# SQLite writes these files next to the database (https://sqlite.org/tempfiles.html).
_DATABASE_FILES = ("", "-wal", "-shm", "-journal")
# The folder for libraries in the folder for the service's data.
_OWN_LIBRARIES = "games"

_BACKENDS: dict[BackendKind, Callable[[Path, LibraryPolicy], LibraryBackend]] = {
    BackendKind.FILESYSTEM: Filesystem,
    BackendKind.FLAT_FILESYSTEM: FlatFilesystem,
}


def base_dir_of(library: Library) -> str:
    """Return the absolute path of a library's folder."""
    return stored.decode(library.options, LibraryOptions).base_dir


def base_dir_path(library: Library) -> Path:
    """Return the path of a library's folder."""
    return Path(base_dir_of(library))


def is_managed(library: Library) -> bool:
    """Return whether the service may write to a library's folder."""
    return stored.decode(library.options, LibraryOptions).managed


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
    private = (settings.data_dir, settings.objects_dir, *files)
    return LibraryPolicy(private, settings.allowed_roots, archives, unpacked, settings.data_dir / _OWN_LIBRARIES)


class LibraryBackends(Struct, frozen=True):
    """The backends of libraries; the policy says where libraries may be."""

    policy: LibraryPolicy

    def of(self, library: Library) -> LibraryBackend:
        return _BACKENDS[BackendKind(library.backend)](Path(base_dir_of(library)), self.policy)

    def prepare_managed(self, library: Library) -> None:
        """Make the folder of a library that the service writes to, unless it exists.

        Raises:
            LocationUnusable: the service must not write there, or cannot.
        """
        folder = base_dir_path(library)
        self.policy.require_writable_place(folder)
        try:
            if self.policy.own and folder.parent == self.policy.own.absolute():
                self.policy.own.mkdir(exist_ok=True)
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise LocationUnusable(Message("folder-failed", reason=system_error(error))) from None
        if not os.access(folder, os.W_OK | os.X_OK):
            raise LocationUnusable(Message("library-not-writable"))

    def fault_of(self, library: Library) -> Message | None:
        """Return why a library's folder cannot currently be used, and what to do; None if it can."""
        try:
            self.of(library).check()
        except LocationUnusable as reason:
            return reason.message
        return None
