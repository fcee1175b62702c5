"""Requests for games that the store does not have."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class GameRequest(Base):
    """A game that users want. Those who want it have a vote, the user who asked for it too.

    ``key`` is the same for all requests for one game, so that there is only one; it is None once the request is done.
    ``icon`` is the URL of an image at the provider. ``library_id`` and ``path`` name the folder that an administrator
    chose. ``comment`` is the administrator's.
    """

    __tablename__ = "game_requests"
    __table_args__ = (
        UniqueConstraint("key"),
        Index(None, "user_id", "status"),
        Index(None, "source_id", "metadata_id"),
        Index(None, "library_id", "path"),
        Index(None, "game_id"),
    )

    id: Mapped[Id]
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    key: Mapped[str | None]
    name: Mapped[str]
    year: Mapped[int]
    source_id: Mapped[str | None]
    metadata_id: Mapped[str | None]
    icon: Mapped[str]
    status: Mapped[str]
    comment: Mapped[str]
    library_id: Mapped[str | None] = mapped_column(ForeignKey("libraries.id", ondelete="SET NULL"))
    path: Mapped[str | None]
    game_id: Mapped[str | None] = mapped_column(ForeignKey("games.id", ondelete="SET NULL"))
    created: Mapped[datetime]
    answered: Mapped[datetime | None]


class GameRequestVote(Base):
    """A user who wants a game."""

    __tablename__ = "game_request_votes"

    request_id: Mapped[str] = mapped_column(ForeignKey("game_requests.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    created: Mapped[datetime]
