"""New tasks, and the queues that they wait in."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum

from msgspec import Struct

from playdock.auth.permissions import Permission
from playdock.kit.messages import Message
from playdock.stored import TaskArguments


class Queue(StrEnum):
    """A queue, whose tasks run one at a time in each runner, so that hashing a game does not delay a short task.

    ``DEFAULT`` is for short tasks, ``NETWORK`` for those that wait for other servers, ``NOTIFICATIONS`` for writing
    notifications, ``DELIVERY`` for email, ``CHAT`` for messages to chat services, ``PUSH`` for those to browsers, and
    ``WEBHOOKS`` for requests to programs: none of these is to wait for another.
    Tasks of ``CPU`` use all cores, so that each node runs only one of them (``CPU_TASKS_PER_NODE``), whatever the
    number of its runners. ``PATCHES`` is for those that clients wait for. Its tasks run at a lower priority, as do
    those of ``LOW``, which may take hours, and of ``BACKGROUND``, which may take days.
    """

    DEFAULT = "default"
    CPU = "cpu"
    NETWORK = "network"
    NOTIFICATIONS = "notifications"
    DELIVERY = "delivery"
    CHAT = "chat"
    PUSH = "push"
    WEBHOOKS = "webhooks"
    PATCHES = "patches"
    LOW = "low"
    BACKGROUND = "background"


# How long a task may be due while its queue starts none: some have short tasks only. Those of `BACKGROUND` take days.
_SHORT, _LONG = timedelta(minutes=15), timedelta(hours=6)
MAX_WAITS: Mapping[Queue, timedelta] = {
    Queue.DEFAULT: _SHORT,
    Queue.NOTIFICATIONS: _SHORT,
    Queue.DELIVERY: _SHORT,
    Queue.CHAT: _SHORT,
    Queue.PUSH: _SHORT,
    Queue.WEBHOOKS: _SHORT,
    Queue.NETWORK: _LONG,
    Queue.CPU: _LONG,
    Queue.PATCHES: _LONG,
    Queue.LOW: _LONG,
}


class NewTask(Struct, frozen=True):
    """A task to be enqueued. A caller with any of the permissions ``acls`` may see it.

    Only the node with the name ``node`` runs it, if there is one. It does not start before the ``delay`` is over, which
    must be shorter than `queries.MAX_AHEAD`.
    """

    task_type: str
    name: Message
    subject: str
    queue: Queue
    acls: tuple[Permission, ...]
    arguments: TaskArguments
    delay: timedelta = timedelta()
    node: str | None = None
