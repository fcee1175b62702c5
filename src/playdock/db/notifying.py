"""Notifications of PostgreSQL, which reach the processes that listen when the transaction is committed.

A commit with a notification takes a lock of the whole server for a moment. So a notification is sent for what is rare
and urgent (a task is enqueued or cancelled, an event is recorded), and never for what is frequent (heartbeats,
progress). SQLite has no notifications: there they reach only the process that has committed.
"""

from collections import defaultdict
from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

from sqlalchemy import func, select
from sqlalchemy.orm import Session

# What a transaction has notified of, if the database does not pass it on.
_NOTIFIED = "notified"


class Channel(StrEnum):
    """What is notified. The values are identifiers of PostgreSQL."""

    TASKS = "playdock_tasks"
    EVENTS = "playdock_events"


class Notifications(Protocol):
    """Receives notifications in another thread."""

    @property
    def connected(self) -> bool:
        """Whether notifications of all processes arrive now."""

    def start(self) -> None:
        """Begin to listen."""

    def stop(self) -> None:
        """Stop listening, within a second."""


def notify(session: Session, channel: Channel) -> None:
    """Notify all processes that listen, this one too, once the transaction is committed; on SQLite, only this one.

    PostgreSQL delivers the notifications of one transaction that are equal only once.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_notify(channel.value, "")))
    else:
        session.info.setdefault(_NOTIFIED, set()).add(channel)


class LocalNotifications:
    """Notifications within one process, for a database that has none."""

    def __init__(self) -> None:
        self._listeners: defaultdict[Channel, set[Callable[[], object]]] = defaultdict(set)

    def pass_on(self, session: Session) -> None:
        """Call what listens to the channels of which a committed transaction has notified, in its thread."""
        for channel in session.info.get(_NOTIFIED, ()):
            for on_notification in tuple(self._listeners[channel]):
                on_notification()

    def listener(self, channel: Channel, on_notification: Callable[[], object]) -> Notifications:
        return _LocalListener(self._listeners[channel], on_notification)


class _LocalListener:
    """Receives notifications of this process."""

    # Those of other processes do not arrive.
    connected = False

    def __init__(self, listeners: set[Callable[[], object]], on_notification: Callable[[], object]) -> None:
        self._listeners = listeners
        self._on_notification = on_notification

    def start(self) -> None:
        self._listeners.add(self._on_notification)

    def stop(self) -> None:
        self._listeners.discard(self._on_notification)
