"""Libraries, from which games are imported."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Library(Base):
    """A library; the content of ``options`` depends on its backend. ``rules`` is None if it has none."""

    __tablename__ = "libraries"

    id: Mapped[Id]
    name: Mapped[str]
    backend: Mapped[str]
    options: Mapped[dict[str, Any]] = mapped_column(JSON)
    created: Mapped[datetime]
    rules: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))


class FoundVersion(Base):
    """What scans know of a version on disk, imported or not; ``path`` is the folder of its game.

    ``fingerprint`` depends on its files and was first ``seen`` at that time; the files last ``changed`` at about that
    time. At ``due`` it is looked at again; if it is None, the files have not changed for a while. ``decided`` is when
    the rules of its library were applied. ``task_id`` is the task that imports it because of them, and ``undone`` the
    time when a person undid that. ``left_out`` says why neither a rule nor the import of all new versions imports it: a
    `stored_events.StoredMessage`. ``checked`` is when the files of an imported version were last looked at.
    """

    __tablename__ = "found_versions"
    __table_args__ = (UniqueConstraint("library_id", "path", "version"),)

    id: Mapped[Id]
    library_id: Mapped[str] = mapped_column(ForeignKey("libraries.id", ondelete="CASCADE"))
    path: Mapped[str]
    version: Mapped[str]
    fingerprint: Mapped[str]
    seen: Mapped[datetime]
    changed: Mapped[datetime]
    due: Mapped[datetime | None]
    decided: Mapped[datetime | None]
    task_id: Mapped[str | None] = mapped_column(index=True)
    undone: Mapped[datetime | None]
    left_out: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    checked: Mapped[datetime | None]
