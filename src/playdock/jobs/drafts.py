"""Drafts: tasks that are to be enqueued."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from playdock.auth.acls import Acl


class Lane(StrEnum):
    """Tasks of one lane wait for each other, so that hashing a game never keeps a small task waiting.

    A runner carries one light task at a time, one that goes on for long while it waits for other people's servers, one
    that can wait until the machine has time to spare, and one that may go on for days, which nobody waits for; a host,
    however many runners it has, one heavy task.
    """

    LIGHT = "light"
    HEAVY = "heavy"
    WAITING = "waiting"
    SPARE = "spare"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class TaskDraft:
    """A task to be enqueued: any one of ``acls`` lets a caller watch it."""

    group: str
    name: str
    subject: str
    lane: Lane
    acls: tuple[Acl, ...]
    arguments: Mapping[str, Any]
