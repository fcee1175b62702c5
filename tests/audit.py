"""Observing the system calls of this process by the interpreter's audit events."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def told_of(event: str, receive_request: Callable[[Any], None]) -> Iterator[None]:
    """Call `hear` with the first argument of each such event, before what it announces is done.

    A hook cannot be taken away again, so it is made deaf at the end.
    """
    deaf = False

    def hook(name: str, arguments: tuple[Any, ...]) -> None:
        if name == event and not deaf:
            receive_request(arguments[0])

    sys.addaudithook(hook)
    try:
        yield
    finally:
        deaf = True
