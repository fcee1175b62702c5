"""News articles, and the private feeds with which programs read them."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class NewsArticle(Base):
    """An article, which may concern a game. One about a version is the version's release notes.

    ``content`` is Markdown, ``image_id`` the id of an object. The article remains if its game or version is deleted.
    """

    __tablename__ = "news_articles"
    __table_args__ = (Index(None, "published", "id"), Index(None, "game_id"))

    id: Mapped[Id]
    title: Mapped[str]
    description: Mapped[str]
    content: Mapped[str]
    image_id: Mapped[str | None]
    author_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    game_id: Mapped[str | None] = mapped_column(ForeignKey("games.id", ondelete="SET NULL"))
    version_id: Mapped[str | None] = mapped_column(ForeignKey("versions.id", ondelete="SET NULL"), unique=True)
    published: Mapped[datetime]
    changed: Mapped[datetime]


class NewsFeed(Base):
    """The private feed of a user. Only the digest of the secret in its URL is stored."""

    __tablename__ = "news_feeds"

    user_id: Mapped[Id] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    digest: Mapped[str] = mapped_column(unique=True)
    created: Mapped[datetime]
