"""Errors of the storage, as errors of this interface."""

from collections.abc import Iterator
from contextlib import contextmanager

from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.features.game_import.errors import GameFolderUnreadable, GameNotListed, LibraryUnavailable
from playdock.features.version_import.errors import VersionNotListed, VersionUnusable
from playdock.kit.messages import Message
from playdock.kit.storage_failures import StorageFailure, system_error
from playdock.storage.backends import GameUnreadable, LibraryBackend, NotListed
from playdock.storage.library_policy import LocationUnusable


@contextmanager
def storage_errors_translated(backend: LibraryBackend) -> Iterator[None]:
    """Translate errors of the storage into the errors of this interface."""
    try:
        with _translated():
            yield
    except (GameFolderUnreadable, GameNotListed, VersionNotListed):
        # The whole library may have disappeared during the call.
        with _translated():
            backend.check()
        raise


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except GameUnreadable as reason:
        raise GameFolderUnreadable(reason.message) from None
    except LocationUnusable as reason:
        raise LibraryUnavailable(reason.message) from None
    except (NotListed, FileNotFoundError, NotADirectoryError):
        raise VersionNotListed from None
    except (UnusableVersion, VersionChanged) as reason:
        raise VersionUnusable(reason.message) from None
    except StorageFailure as failure:
        raise LibraryUnavailable(failure.message) from None
    except OSError as error:
        raise LibraryUnavailable(Message("storage-failed-reading", reason=system_error(error))) from None
