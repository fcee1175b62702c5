"""Daily records of disks."""

from datetime import date

from sqlalchemy import BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class DiskDay(Base):
    """The free bytes of a disk on a day (UTC); ``disk`` is the id of the library on it, or ``data``."""

    __tablename__ = "disk_days"

    day: Mapped[date] = mapped_column(primary_key=True)
    disk: Mapped[str] = mapped_column(String(36), primary_key=True)
    free: Mapped[int] = mapped_column(BigInteger)
