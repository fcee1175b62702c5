"""Which version of the client starts: what ``versions/state.json`` says, and how that changes.

The stub of an old release reads what newer releases write, so the meaning of the fields must never change. The stub
loads only the standard library, because it delays each start.
"""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

STATE_FILE = "state.json"
# The version that the setup program installed, which is not in the folder of versions.
BASE = ""
# A player who waits for a slow start opens the app again; so many starts can overlap.
MAX_STARTS = 3
# More than any player will ever have; limits the file.
_MAX_FAILED = 20
_FOLDER = re.compile(r"(?P<version>[0-9][0-9A-Za-z.]*)-[0-9a-z_]+")


class VersionState(NamedTuple):
    """The versions that start, by their folders.

    ``starts`` is None once ``current`` has worked. Until then it is on trial: only the app uses it, and ``starts``
    counts how often it was started; everything else uses ``previous``. ``failed`` are releases that never worked.
    """

    current: str = BASE
    previous: str = BASE
    starts: int | None = None
    failed: Sequence[str] = ()


def version_of(folder: str) -> str:
    """Return the version in a folder of versions; empty for the base."""
    match = _FOLDER.fullmatch(folder)
    return match["version"] if match else ""


def select(state: VersionState, *, is_app: bool) -> tuple[str, VersionState]:
    """Return the folder of the version to start, and the state that must be stored before."""
    if state.starts is None:
        return state.current, state
    if not is_app:
        return state.previous, state
    if state.starts >= MAX_STARTS:
        rolled_back = roll_back(state)
        return rolled_back.current, rolled_back
    return state.current, state._replace(starts=state.starts + 1)


def roll_back(state: VersionState) -> VersionState:
    """Return to the previous version, and remember that the current one does not work."""
    failed = (*(each for each in state.failed if each != version_of(state.current)), version_of(state.current))
    return VersionState(state.previous, BASE, None, failed[-_MAX_FAILED:])


def switch(state: VersionState, folder: str) -> VersionState:
    """Select a new version, on trial. The previous one is the last that has worked."""
    working = state.current if state.starts is None else state.previous
    return VersionState(folder, working, 0, state.failed)


def confirm(state: VersionState, version: str) -> VersionState:
    """End the trial of the current version, which has started."""
    return state._replace(starts=None) if version_of(state.current) == version else state


def forgive_starts(state: VersionState) -> VersionState:
    """Do not count starts of the current version that only brought a running app to the front."""
    return state if state.starts is None else state._replace(starts=0)


def decode(text: str) -> VersionState:
    """Return a stored state; that of a new installation if the text is invalid."""
    try:
        found = json.loads(text)
        current, previous, starts, failed = (found[name] for name in VersionState._fields)
    except (ValueError, KeyError, TypeError, RecursionError):
        return VersionState()
    folders_valid = all(isinstance(each, str) and (each == BASE or version_of(each)) for each in (current, previous))
    starts_valid = starts is None or type(starts) is int
    failed_valid = isinstance(failed, list) and all(isinstance(each, str) for each in failed)
    if not (folders_valid and starts_valid and failed_valid):
        return VersionState()
    return VersionState(current, previous, starts, tuple(failed))


def encode(state: VersionState) -> str:
    return json.dumps({**state._asdict(), "failed": list(state.failed)}, indent=2)
