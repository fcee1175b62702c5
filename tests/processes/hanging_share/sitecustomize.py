"""Imported by every Python process that has this folder in PYTHONPATH: a library hangs as soon as a file says so.

It hangs like a network share whose server is down: a thread that opens or lists something whose name contains "hanging"
never continues. Names are compared because files are opened relative to their folder.
"""

import os
import sys
import threading
from pathlib import Path
from typing import Any

_LIBRARY = os.environ["HANGING_LIBRARY"]
_HANGS = Path(f"{_LIBRARY}.hangs")
_WAITING = Path(f"{_LIBRARY}.waiting")


def _hang(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in ("open", "os.scandir", "os.listdir"):
        return
    if "hanging" in str(arguments[0]) and "hanging_share" not in str(arguments[0]) and _HANGS.exists():
        with _WAITING.open("a") as record:
            record.write(f"{threading.current_thread().name}\n")
        threading.Event().wait()


sys.addaudithook(_hang)
