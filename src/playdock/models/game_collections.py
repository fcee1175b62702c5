"""Libraries and collections of users."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Collection(Base):
    """A user's collection of games; the default one is the user's library."""

    __tablename__ = "collections"
    __table_args__ = (
        Index(None, "user_id"),
        Index(
            "uq_collections_default",
            "user_id",
            unique=True,
            sqlite_where=text("is_default"),
            postgresql_where=text("is_default"),
        ),
    )

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    name: Mapped[str]
    is_default: Mapped[bool]
    created: Mapped[datetime]


class CollectionEntry(Base):
    """A game in a collection."""

    __tablename__ = "collection_entries"

    collection_id: Mapped[str] = mapped_column(ForeignKey("collections.id", ondelete="CASCADE"), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), primary_key=True, index=True)
    added: Mapped[datetime]
