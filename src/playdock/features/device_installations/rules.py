"""Limits, and which version updates another."""

# Several times as many games as people have installed; the bodies and responses stay below some hundred kilobytes.
MAX_INSTALLATIONS = 1_000
# A queue is emptied whenever the client runs. More is a mistake, or a program that does not stop.
MAX_QUEUED = 100


def is_update(newest: int | None, installed: int | None) -> bool:
    """Return whether the newest version updates the installed one, by their positions.

    ``installed`` is None if the server no longer has that version.
    """
    return newest is not None and (installed is None or newest > installed)
