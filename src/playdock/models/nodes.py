"""The processes that share the database."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class Node(Base):
    """A process of a node that serves or runs tasks.

    ``id`` is the process's worker id, ``name`` the node's. ``heartbeat`` is when the process last wrote the row.
    ``demand`` is what the process wants of the download limits and has of them (`nodes/rules.py`), None if it serves no
    downloads.
    """

    __tablename__ = "nodes"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    release: Mapped[str]
    started: Mapped[datetime]
    heartbeat: Mapped[datetime]
    demand: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
