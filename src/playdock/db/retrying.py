"""Retrying a call whose transaction the database rolled back in favor of a concurrent one."""

import random
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import TypeVar

from msgspec import Struct

from playdock.db.errors import TransactionConflict

# PostgreSQL cancels one transaction per deadlock, so with three retries a call fails only if it is chosen four times.
MAX_RETRIES = 3
# Longer than a usual transaction, so that the other one has committed. The delay is random, so that two calls that were
# rolled back do not conflict again.
MAX_DELAY_SECONDS = 0.05

_T = TypeVar("_T")


class _Progress(Struct):
    """Whether a transaction of the running call has committed."""

    committed: bool = False


_PROGRESS: ContextVar[_Progress | None] = ContextVar("progress", default=None)


def note_commit() -> None:
    """Record that the running call has committed, so that it must not be retried."""
    progress = _PROGRESS.get()
    if progress is not None:
        progress.committed = True


def retry_conflicts(call: Callable[[], _T]) -> _T:
    """Return the result of a call. Retry it up to three times if its first writing transaction is rolled back.

    Raises:
        TransactionConflict: all attempts were rolled back, or an earlier transaction of the call has committed.
    """
    for _ in range(MAX_RETRIES):
        progress = _Progress()
        token = _PROGRESS.set(progress)
        try:
            return call()
        except TransactionConflict:
            if progress.committed:
                raise
        finally:
            _PROGRESS.reset(token)
        time.sleep(random.uniform(0, MAX_DELAY_SECONDS))  # noqa: S311 - not a secret
    return call()
