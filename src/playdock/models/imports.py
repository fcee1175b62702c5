"""What an unfinished import of a version has read, and has yet to read."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class ImportCheckpoint(Base):
    """Records of files that an unfinished import of a version has read; deleted when the version is added."""

    __tablename__ = "import_checkpoints"
    __table_args__ = (Index(None, "game_id", "version_name"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"))
    version_name: Mapped[str]
    at: Mapped[datetime]
    records: Mapped[bytes]


class ImportPart(Base):
    """A part of a large version that any node can read; deleted when the version is added.

    ``task_id`` is the task that imports the version, ``size`` the number of bytes to read, and ``content`` the part
    (`storage/parts.py`). The task ``reader_id`` reads it, unless its ``reader_attempt`` has ended (`Task.attempt`), and
    was ``seen`` to make progress, by the clock that leases are measured with.
    """

    __tablename__ = "import_parts"
    __table_args__ = (Index(None, "task_id", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    task_id: Mapped[str] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    size: Mapped[int] = mapped_column(BigInteger)
    content: Mapped[bytes]
    reader_id: Mapped[str | None]
    reader_attempt: Mapped[int | None]
    seen: Mapped[datetime | None]
    complete: Mapped[bool] = mapped_column(default=False)
