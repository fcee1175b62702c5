"""Notifications of PostgreSQL, which reach the processes that listen when the transaction is committed.

A commit with a notification takes a lock of the whole server for a moment. So a notification is sent for what is rare
and urgent (a task is enqueued or cancelled), and never for what is frequent (heartbeats, progress).
"""

from enum import StrEnum
from typing import Protocol

from sqlalchemy import func, select
from sqlalchemy.orm import Session


class Channel(StrEnum):
    """What is notified. The values are identifiers of PostgreSQL."""

    TASKS = "playdock_tasks"


class Notifications(Protocol):
    """Receives notifications in a thread of its own."""

    @property
    def connected(self) -> bool:
        """Whether notifications arrive now."""

    def start(self) -> None:
        """Begin to listen."""

    def stop(self) -> None:
        """Stop listening, within a second."""


def notify(session: Session, channel: Channel) -> None:
    """Notify all processes that listen, this one too, once the transaction is committed. SQLite has no notifications.

    PostgreSQL delivers the notifications of one transaction that are equal only once.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_notify(channel.value, "")))
