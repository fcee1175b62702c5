"""Uploads into managed libraries."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Upload(Base):
    """A folder or archive that is uploaded into a library; ``version`` is empty if it is a whole game.

    ``digest`` is the hash of its list of files, which is beside them on the disk of the library. Of its ``size`` bytes,
    those before ``received`` are stored there safely. When all are, ``task_id`` is the task that moves it to its place,
    and ``placed`` the time when it has been moved. If its files were deleted because they differ from what was
    declared, ``received`` is 0 again.
    """

    __tablename__ = "uploads"

    id: Mapped[Id]
    library_id: Mapped[str] = mapped_column(ForeignKey("libraries.id", ondelete="CASCADE"), index=True)
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    game: Mapped[str]
    version: Mapped[str]
    digest: Mapped[str]
    files: Mapped[int]
    size: Mapped[int] = mapped_column(BigInteger)
    received: Mapped[int] = mapped_column(BigInteger)
    created: Mapped[datetime]
    expires: Mapped[datetime]
    task_id: Mapped[str | None]
    placed: Mapped[datetime | None]
