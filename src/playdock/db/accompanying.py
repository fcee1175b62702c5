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


_CURRENT: ContextVar[tuple[Accompaniment, ...]] = ContextVar("accompaniments", default=())


@contextmanager
def accompanied_by(write: Callable[[Session], object]) -> Iterator[Accompaniment]:
    """Let the first writing transaction within the context write this, too, or neither. Contexts can be nested."""
    accompaniment = Accompaniment(write)
    token = _CURRENT.set((*_CURRENT.get(), accompaniment))
    try:
        yield accompaniment
    finally:
        _CURRENT.reset(token)


@contextmanager
def unaccompanied() -> Iterator[None]:
    """Let no transaction within the context write anything else: what it stores is no change that somebody made."""
    token = _CURRENT.set(())
    try:
        yield
    finally:
        _CURRENT.reset(token)


def pending() -> tuple[Accompaniment, ...]:
    """Return what the transaction that is about to be committed has to write."""
    return tuple(each for each in _CURRENT.get() if not each.written)
