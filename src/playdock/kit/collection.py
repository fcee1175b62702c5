"""Garbage collection during the start."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause garbage collection while modules are loaded and the application is built.

    That creates many lasting objects and little garbage, so collections would take a sixth of the time in vain.
    Afterwards, what has been created is exempt from all later collections.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
