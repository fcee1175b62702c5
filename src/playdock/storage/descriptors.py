"""Descriptors of open files."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def closed_on_error(descriptor: int) -> Iterator[None]:
    """Close a descriptor if the block raises. Otherwise the caller passes it on to its new owner."""
    try:
        yield
    except BaseException:
        os.close(descriptor)
        raise
