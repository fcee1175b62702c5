"""Background tasks: what is asked for, who carries it, how far it is, what it said."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Task(Base):
    """A task lives until ``ended`` is set.

    ``subject`` is what it works on; only one living task may work on it. A runner that carries a task is its ``owner``
    until ``leased_until`` and renews that; a task whose lease has run out is anybody's. ``claims`` counts the runners
    that took it: a runner whose number is not the last one has lost the task and may write nothing. ``crashes`` counts
    those that died with it since its last checkpoint.
    """

    __tablename__ = "tasks"
    __table_args__ = (
        Index(
            "uq_tasks_living_subject",
            "subject",
            unique=True,
            sqlite_where=text("ended IS NULL"),
            postgresql_where=text("ended IS NULL"),
        ),
        Index(None, "ended", "lane", "due"),
    )

    id: Mapped[Id]
    task_group: Mapped[str]
    lane: Mapped[str]
    name: Mapped[str]
    subject: Mapped[str]
    arguments: Mapped[dict[str, Any]] = mapped_column(JSON)
    acls: Mapped[list[str]] = mapped_column(JSON)
    created: Mapped[datetime]
    due: Mapped[datetime]
    owner: Mapped[str | None]
    leased_until: Mapped[datetime | None]
    claims: Mapped[int] = mapped_column(default=0)
    crashes: Mapped[int] = mapped_column(default=0)
    retries: Mapped[int] = mapped_column(default=0)
    cancelled: Mapped[bool] = mapped_column(default=False)
    progress: Mapped[float] = mapped_column(default=0.0)
    started: Mapped[datetime | None]
    ended: Mapped[datetime | None]
    success: Mapped[bool] = mapped_column(default=False)
    error_title: Mapped[str | None]
    error_detail: Mapped[str | None]


class TaskLine(Base):
    """One line of a task's log."""

    __tablename__ = "task_lines"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    task_id: Mapped[str] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"), index=True)
    at: Mapped[datetime]
    level: Mapped[str]
    message: Mapped[str]
