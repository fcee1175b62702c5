"""Screens that nobody sees."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def screen() -> Iterator[str]:
    """Run an X server until the end of the block, and yield its display."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1300x850x24"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as process:
        os.close(writing)
        try:
            with os.fdopen(reading) as number:
                yield f":{number.readline().strip()}"
        finally:
            process.terminate()
