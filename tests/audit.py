"""Observing the system calls of this process by the interpreter's audit events."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def told_of(event: str, report: Callable[[Any], None]) -> Iterator[None]:
    """Call a function with the first argument of each such event, before what it announces is done.

    A folder that is given as a descriptor becomes its path. A hook cannot be removed, so it is disabled at the end.
    """
    is_disabled = False

    def hook(name: str, arguments: tuple[Any, ...]) -> None:
        if name == event and not is_disabled:
            first = arguments[0]
            report(Path(f"/proc/self/fd/{first}").readlink() if isinstance(first, int) else first)

    sys.addaudithook(hook)
    try:
        yield
    finally:
        is_disabled = True
