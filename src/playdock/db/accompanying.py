"""What is written together with a change: in the first transaction that a call commits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec import Struct
from sqlalchemy.orm import Session


class Accompaniment(Struct, eq=False):
    """A function that writes in the first transaction, and whether that has been committed."""

    write: Callable[[Session], object]
    written: bool = False


_CURRENT: ContextVar[Accompaniment | None] = ContextVar("accompaniment", default=None)


@contextmanager
def accompanied_by(write: Callable[[Session], object]) -> Iterator[Accompaniment]:
    """Let the first writing transaction within the context write this, too, or neither."""
    accompaniment = Accompaniment(write)
    token = _CURRENT.set(accompaniment)
    try:
        yield accompaniment
    finally:
        _CURRENT.reset(token)


def pending() -> Accompaniment | None:
    """Return what the transaction that is about to be committed has to write."""
    accompaniment = _CURRENT.get()
    return None if accompaniment is None or accompaniment.written else accompaniment
