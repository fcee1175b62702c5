"""The load of the machine."""

import os


def is_idle() -> bool:
    """Return whether on average of the last minute at least one processor had nothing to do."""
    try:
        return os.getloadavg()[0] < (os.cpu_count() or 1)
    except OSError:
        # Unknown on this system.
        return True
