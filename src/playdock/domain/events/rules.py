"""The types of events, when they are announced, and what programs are sent of them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import msgspec

from playdock.kit.clock import timestamp


class EventType(StrEnum):
    """What can happen."""

    GAME_ADDED = "game.added"
    VERSION_ADDED = "version.added"
    VERSION_DAMAGED = "version.damaged"
    VERSION_MISSING = "version.missing"
    FILES_ADDED = "files.added"
    TASK_FAILED = "task.failed"
    TASK_WAITING = "task.waiting"
    FOLDERS_FOUND = "folders.found"
    VERSION_FOUND = "version.found"
    VERSION_IMPORTED = "version.imported"
    LIBRARY_UNAVAILABLE = "library.unavailable"
    DISK_LOW = "disk.low"
    NEWS_PUBLISHED = "news.published"
    REQUEST_ADDED = "request.added"
    REQUEST_ANSWERED = "request.answered"
    REQUEST_DONE = "request.done"


# Imports cause these by the dozen, so they are announced together when no import is running any more.
GATHERED = frozenset(
    {
        EventType.GAME_ADDED,
        EventType.VERSION_ADDED,
        EventType.TASK_FAILED,
        EventType.FOLDERS_FOUND,
        EventType.VERSION_FOUND,
        EventType.VERSION_IMPORTED,
        EventType.REQUEST_DONE,
    }
)
# The types of the tasks that cause them.
IMPORTS = ("import:game", "import:run", "import:version", "import:versions", "plan:import", "reimport:version")
# An import of terabytes takes days; nobody is to wait that long for the games that are there already.
MAX_GATHERING = timedelta(hours=1)


def withheld(*, importing: bool, oldest: datetime, now: datetime) -> frozenset[EventType]:
    """Return the types that are not announced yet; ``oldest`` is when the first event that waits was recorded."""
    return GATHERED if importing and now - oldest < MAX_GATHERING else frozenset()


def payload(event_type: str, occurred: datetime, data: Mapping[str, Any]) -> bytes:
    """Return what programs are sent of an event, which is always the same."""
    content = {"type": event_type, "timestamp": timestamp(occurred), "data": data}
    return msgspec.json.encode(content)
