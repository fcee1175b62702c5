"""Changes of files in managed libraries, and what is in their trash."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class FileChange(Base):
    """A change of a game's files that has been begun: the files are moved first, and then rows are changed.

    There is at most one of a game. ``switched`` is set if the rows have been changed but the originals of copied files
    are still to be deleted. ``task_id`` is the task that carries it out.
    """

    __tablename__ = "file_changes"

    id: Mapped[Id]
    kind: Mapped[str]
    library_id: Mapped[str] = mapped_column(ForeignKey("libraries.id"), index=True)
    game_id: Mapped[str] = mapped_column(unique=True)
    change: Mapped[dict[str, Any]] = mapped_column(JSON)
    switched: Mapped[bool]
    created: Mapped[datetime]
    task_id: Mapped[str]


class TrashItem(Base):
    """A deleted game, or a deleted version of one, whose files are in the trash of its library.

    Its id is that of the change that deleted it. ``paths`` are where its files were, and ``record_names`` the names of
    the blobs of its versions. ``removal`` are the rows that make it whole again.
    """

    __tablename__ = "trash_items"

    id: Mapped[Id]
    library_id: Mapped[str] = mapped_column(ForeignKey("libraries.id"), index=True)
    game_id: Mapped[str]
    version_id: Mapped[str | None]
    game_name: Mapped[str]
    version_name: Mapped[str | None]
    paths: Mapped[list[str]] = mapped_column(JSON)
    size: Mapped[int] = mapped_column(BigInteger)
    record_names: Mapped[list[str]] = mapped_column(JSON)
    removal: Mapped[dict[str, Any]] = mapped_column(JSON)
    deleted: Mapped[datetime]
