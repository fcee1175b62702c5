"""Recorded transfers, for the dashboard's download figures."""

from datetime import date

from sqlalchemy import BigInteger, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class TransferDay(Base):
    """The bytes one user received of one version on one day (UTC): one download.

    Rows outlive their user, and then have no ``user_id``. ``version_id`` is not a foreign key, because transfers of a
    deleted version still count.
    """

    __tablename__ = "transfer_days"
    __table_args__ = (UniqueConstraint("day", "user_id", "version_id"),)

    id: Mapped[Id]
    day: Mapped[date]
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    version_id: Mapped[str] = mapped_column(String(36))
    bytes: Mapped[int] = mapped_column(BigInteger)
