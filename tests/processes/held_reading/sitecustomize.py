"""Imported by every Python process that has this folder in PYTHONPATH: files of versions are opened as a test says.

The names of opened files ``*.wad`` are recorded. When as many as the test allows are open or were, the next one waits.
An import can so be interrupted at a known place, however fast or slow the machine is.
"""

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

_FOLDER = Path(os.environ["HELD_READING"])
_one_at_a_time = threading.Lock()


def _hold(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or not str(arguments[0]).endswith(".wad"):
        return
    with _one_at_a_time:
        while len((_FOLDER / "opened").read_text().splitlines()) >= int((_FOLDER / "allowed").read_text()):
            time.sleep(0.01)
        with (_FOLDER / "opened").open("a") as record:
            record.write(f"{arguments[0]}\n")


sys.addaudithook(_hold)
