"""Waiting for what happens elsewhere, without a fixed pause and without a hurry."""

import time
from collections.abc import Callable

# A busy machine must not make a test fail: this ends only what would never end.
MAX_WAIT_SECONDS = 120.0
_POLL_SECONDS = 0.01


def wait_until(condition: Callable[[], object]) -> None:
    """Wait until a condition is true.

    Raises:
        AssertionError: It did not become true.
    """
    deadline = time.monotonic() + MAX_WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "It did not come to pass."
        time.sleep(_POLL_SECONDS)
