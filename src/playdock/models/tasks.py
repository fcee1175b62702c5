"""Background tasks and their logs."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id, partial_unique_index


class Task(Base):
    """A background task. It is active until ``ended`` is set.

    ``subject`` names what the task works on; only one active task may work on it. The runner that executes the task is
    recorded as ``worker_id`` and renews ``leased_until``; once the lease has expired, any runner may claim the task.
    ``attempt`` is the fencing token: it grows with each claim, and a runner with an older one may not write anything.
    ``crashes`` counts the runners that died with the task since its last checkpoint. Only the node ``node`` runs the
    task, if that is set.
    """

    __tablename__ = "tasks"
    __table_args__ = (
        partial_unique_index("uq_tasks_active_subject", "subject", where="ended IS NULL"),
        Index(None, "ended", "queue", "due"),
    )

    id: Mapped[Id]
    task_type: Mapped[str] = mapped_column("task_group")
    queue: Mapped[str]
    name: Mapped[str]
    name_code: Mapped[str | None]
    name_parameters: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    subject: Mapped[str] = mapped_column(index=True)
    arguments: Mapped[dict[str, Any]] = mapped_column(JSON)
    acls: Mapped[list[str]] = mapped_column(JSON)
    created: Mapped[datetime]
    due: Mapped[datetime]
    node: Mapped[str | None]
    worker_id: Mapped[str | None]
    leased_until: Mapped[datetime | None]
    attempt: Mapped[int] = mapped_column(default=0)
    crashes: Mapped[int] = mapped_column(default=0)
    retries: Mapped[int] = mapped_column(default=0)
    cancelled: Mapped[bool] = mapped_column(default=False)
    progress: Mapped[float] = mapped_column(default=0.0)
    started: Mapped[datetime | None]
    ended: Mapped[datetime | None]
    success: Mapped[bool] = mapped_column(default=False)
    error_title: Mapped[str | None]
    error_detail: Mapped[str | None]
    error_code: Mapped[str | None]
    error_parameters: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))


class TaskLogEntry(Base):
    """An entry of a task's log."""

    __tablename__ = "task_log"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    task_id: Mapped[str] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"), index=True)
    at: Mapped[datetime]
    level: Mapped[str]
    message: Mapped[str]
    code: Mapped[str | None]
    parameters: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
