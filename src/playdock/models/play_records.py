"""How long users have played games, and what they note about them."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class PlaySession(Base):
    """A run of a game by a user; the client that recorded it chose its id. ``seconds`` is its length.

    ``source`` is the kind of server from which it was moved, if it was. It may then stand for many runs: ``started`` is
    that of the last one, None if it is unknown.
    """

    __tablename__ = "play_sessions"
    __table_args__ = (
        Index(None, "user_id", "game_id"),
        Index(None, "game_id"),
        Index(None, "version_id"),
        Index(None, "device_id"),
    )

    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"))
    version_id: Mapped[str | None] = mapped_column(ForeignKey("versions.id", ondelete="SET NULL"))
    device_id: Mapped[str | None] = mapped_column(ForeignKey("devices.id", ondelete="SET NULL"))
    started: Mapped[datetime | None]
    seconds: Mapped[int]
    source: Mapped[str | None]


class PlayRecord(Base):
    """What a user notes about a game: a status, None without one, and a text that only the user sees.

    ``source`` is the kind of server from which it was moved, until the user changes it.
    """

    __tablename__ = "play_records"

    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), primary_key=True, index=True)
    status: Mapped[str | None]
    note: Mapped[str]
    changed: Mapped[datetime]
    source: Mapped[str | None]
