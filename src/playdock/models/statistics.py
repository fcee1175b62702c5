"""What was sent, for the numbers that administrators look at."""

from datetime import date

from sqlalchemy import BigInteger, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class TransferDay(Base):
    """What one user got of one version on one day (UTC): so many bytes, and one download.

    Rows stay when the user is deleted, and are nobody's then. ``version_id`` is no foreign key: what was sent of a
    version that is gone was sent nevertheless.
    """

    __tablename__ = "transfer_days"
    __table_args__ = (UniqueConstraint("day", "user_id", "version_id"),)

    id: Mapped[Id]
    day: Mapped[date]
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    version_id: Mapped[str] = mapped_column(String(36))
    bytes: Mapped[int] = mapped_column(BigInteger)
