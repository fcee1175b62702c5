"""Tolerance for permanent errors of optional calls."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from playdock.metadata.errors import ProviderError

_T = TypeVar("_T")


def ignoring_permanent_errors(search: Callable[[], Sequence[_T]]) -> Sequence[_T]:
    """Return the result of a fallback search, or nothing if it fails permanently.

    A mirror or proxy may not support the fallback. The first search has succeeded without results by then, so a
    permanent error of the fallback adds nothing; a retryable one does, because a later attempt may find something.

    Raises:
        ProviderError: the fallback failed and may succeed later.
    """
    try:
        return search()
    except ProviderError as error:
        if error.retryable:
            raise
        return ()
