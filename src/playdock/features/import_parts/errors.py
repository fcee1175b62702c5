"""What a task handler raises if a version cannot be read."""

from collections.abc import Iterator
from contextlib import contextmanager

from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.kit.messages import Message
from playdock.storage.backends import NotListed
from playdock.storage.library_policy import LocationForbidden, LocationUnusable
from playdock.tasks.errors import RetryableFailure, TaskFailed


@contextmanager
def failures_translated() -> Iterator[None]:
    """Translate errors of reading a version into task failures, and decide whether to retry."""
    try:
        yield
    except UnusableVersion as reason:
        raise TaskFailed("Version unusable", reason.message) from None
    except VersionChanged as reason:
        raise RetryableFailure("Version changed", reason.message) from None
    except LocationForbidden as reason:
        raise TaskFailed("Library refused", Message("library-unreadable", reason=reason.message)) from None
    except LocationUnusable as reason:
        raise RetryableFailure("Library unreadable", Message("library-unreadable", reason=reason.message)) from None
    except (NotListed, FileNotFoundError, NotADirectoryError):
        raise RetryableFailure("Version missing", Message("version-folder-gone")) from None


def game_deleted() -> TaskFailed:
    return TaskFailed("Game deleted", Message("game-deleted-before-import"))
