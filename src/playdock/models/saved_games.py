"""Saved games: what players upload of their progress in games."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class SaveSlot(Base):
    """A slot of a user for a game; ``number`` begins with 0. ``device_id`` is the device that last used it."""

    __tablename__ = "save_slots"
    __table_args__ = (UniqueConstraint("user_id", "game_id", "number"),)

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), index=True)
    number: Mapped[int]
    device_id: Mapped[str | None] = mapped_column(ForeignKey("devices.id", ondelete="SET NULL"), index=True)
    created: Mapped[datetime]


class SavedGame(Base):
    """A save in a slot. Its id is that of the object with its bytes.

    ``position`` orders the saves of a slot, oldest first. ``aside`` marks one that was kept beside a newer one, and is
    never the newest. ``checksum`` is the SHA-256 in hexadecimal, ``size`` in bytes. ``device`` is the name that the
    device had, empty if it was none.
    """

    __tablename__ = "saved_games"
    __table_args__ = (UniqueConstraint("slot_id", "position"),)

    id: Mapped[str] = mapped_column(ForeignKey("objects.id", ondelete="CASCADE"), primary_key=True)
    slot_id: Mapped[str] = mapped_column(ForeignKey("save_slots.id", ondelete="CASCADE"))
    position: Mapped[int]
    aside: Mapped[bool]
    checksum: Mapped[str]
    size: Mapped[int] = mapped_column(BigInteger)
    device: Mapped[str]
    created: Mapped[datetime]
