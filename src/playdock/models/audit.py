"""The audit log."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class AuditEntry(Base):
    """A change by an administrator. It refers to no other row, because what it names may be deleted later.

    ``user_id`` is empty for a command, ``credential`` is the kind of credential.
    """

    __tablename__ = "audit_entries"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    at: Mapped[datetime] = mapped_column(index=True)
    user_id: Mapped[str]
    username: Mapped[str]
    credential: Mapped[str]
    address: Mapped[str]
    operation: Mapped[str]
    permissions: Mapped[list[str]] = mapped_column(JSON)
    subject_id: Mapped[str]
    subject: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column(JSON)
    request_id: Mapped[str]
