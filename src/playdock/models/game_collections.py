"""Libraries and collections of users."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id, partial_unique_index


class Collection(Base):
    """A user's collection of games; the default one is the user's library."""

    __tablename__ = "collections"
    __table_args__ = (
        Index(None, "user_id"),
        partial_unique_index("uq_collections_default", "user_id", where="is_default"),
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
