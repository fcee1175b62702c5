"""Limits of a process that does for strangers what could take too much memory or time."""

import ctypes
import resource
import signal
import sys
from collections.abc import Mapping

_PR_SET_PDEATHSIG = 1
_ALWAYS: Mapping[int, int] = {resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CORE: 0}


def restrict(limits: Mapping[int, int]) -> None:
    """Limit this process, by the numbers of ``resource``. It also can write no files, and ends with the service."""
    # It must not outlast the service that waits for it.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    for limit, value in {**_ALWAYS, **limits}.items():
        _, hard = resource.getrlimit(limit)
        lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (lowest, lowest))
