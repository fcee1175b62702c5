"""Imported by every Python process that has this folder in PYTHONPATH: changes the clock of the service, and its parts.

The file CLOCK_OFFSET contains by how many seconds the clock is off. Blobs get the time that they would have if the
machine's clock was off: the service compares their age with its clock. With PART_BYTES, nodes read versions together
that have more than two parts of this size.
"""

import os
import sys
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from playdock.kit import clock

_OFFSET = Path(os.environ["CLOCK_OFFSET"])
_true_time = clock.utc_now


def _offset() -> float:
    try:
        return float(_OFFSET.read_text())
    except (OSError, ValueError):
        return 0.0


def _shifted() -> datetime:
    return _true_time() + timedelta(seconds=_offset())


def _set_time(event: str, arguments: tuple[Any, ...]) -> None:
    """Set the time of a blob before it is renamed to its final name."""
    if event == "os.rename" and ".writing-" in str(arguments[0]):
        written = _shifted().timestamp()
        with suppress(OSError):
            os.utime(arguments[0], (written, written))


clock.utc_now = _shifted
sys.addaudithook(_set_time)
if size := int(os.environ.get("PART_BYTES", "0")):
    from playdock.features.import_parts import tasks
    from playdock.storage.parts import PartLimits

    tasks.LIMITS = PartLimits(size=size, undivided=size)
