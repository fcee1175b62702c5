"""Making differences, each in a process that `difference_process.py` runs."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress

from msgspec import msgpack

from playdock.content.patches import Effort

# -P: do not search the working directory for modules.
_COMMAND = (sys.executable, "-P", "-m", "playdock.storage.difference_process")
# The process gets no secrets of the service, only what it needs to start.
_ENVIRONMENT = ("LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME")
_SECONDS_BETWEEN_CHECKS = 0.5


def make_difference(plain: bytes, old: bytes, effort: Effort, *, check: Callable[[], None]) -> bytes | None:
    """Return the compressed difference of a segment, or None if it takes too much memory or time.

    ``check`` is called every half a second; if it raises an error, the process is ended.
    """
    with subprocess.Popen(  # noqa: S603 - fixed command
        _COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
    ) as process:
        try:
            _send(process, msgpack.encode((plain, old, effort)))
            frame = _received(process, check)
        except BaseException:
            process.kill()
            raise
    return frame if process.returncode == 0 else None


def _send(process: "subprocess.Popen[bytes]", data: bytes) -> None:
    """Send everything first, which takes no time: `communicate` forgets its input when its time has passed."""
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(data)
    process.stdin = None


def _received(process: "subprocess.Popen[bytes]", check: Callable[[], None]) -> bytes:
    while True:
        try:
            return process.communicate(timeout=_SECONDS_BETWEEN_CHECKS)[0]
        except subprocess.TimeoutExpired:
            check()
