"""All statements on news and feeds."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_into, insert_or_ignore
from playdock.models import Game, NewsArticle, NewsFeed, User, Version


class ListedArticle(Struct, frozen=True):
    """An article with the names of its author, game and version."""

    article: NewsArticle
    author: str | None
    game: str | None
    version: str | None


def listed(
    session: Session,
    *,
    game_id: str | None = None,
    text: str = "",
    oldest_first: bool = False,
    offset: int = 0,
    limit: int,
) -> Sequence[ListedArticle]:
    """Return articles with a text in the title or the description, or about a game."""
    statement = _articles()
    if game_id is not None:
        statement = statement.where(NewsArticle.game_id == game_id)
    if text:
        words = NewsArticle.title + " " + NewsArticle.description
        statement = statement.where(func.lower(words).contains(text.lower(), autoescape=True))
    if oldest_first:
        statement = statement.order_by(NewsArticle.published, NewsArticle.id)
    else:
        statement = statement.order_by(NewsArticle.published.desc(), NewsArticle.id.desc())
    return [ListedArticle(*row) for row in session.execute(statement.offset(offset).limit(limit))]


def find(session: Session, article_id: str) -> ListedArticle | None:
    row = session.execute(_articles().where(NewsArticle.id == article_id)).first()
    return ListedArticle(*row) if row else None


def add(session: Session, values: dict[str, Any]) -> bool:
    """Add an article, in one statement; False if its version has release notes."""
    return session.scalar(insert_or_ignore(session, NewsArticle, values, returning=(NewsArticle.id,))) is not None


def change(session: Session, article_id: str, values: dict[str, Any]) -> bool:
    """Change an article; False if there is none."""
    changed = update(NewsArticle).where(NewsArticle.id == article_id).values(values).returning(NewsArticle.id)
    return session.scalar(changed) is not None


def remove(session: Session, article_id: str) -> None:
    session.execute(delete(NewsArticle).where(NewsArticle.id == article_id))


def game_of_version(session: Session, version_id: str) -> str | None:
    return session.scalar(select(Version.game_id).where(Version.id == version_id))


def game_exists(session: Session, game_id: str) -> bool:
    return session.scalar(select(Game.id).where(Game.id == game_id)) is not None


def put_feed(session: Session, user_id: str, digest: str, *, at: datetime) -> None:
    """Replace the feed of a user."""
    values = {"digest": digest, "created": at}
    insert = insert_into(session, NewsFeed).values(user_id=user_id, **values)
    session.execute(insert.on_conflict_do_update(index_elements=[NewsFeed.user_id], set_=values))


def find_feed(session: Session, user_id: str) -> NewsFeed | None:
    return session.get(NewsFeed, user_id)


def remove_feed(session: Session, user_id: str) -> None:
    session.execute(delete(NewsFeed).where(NewsFeed.user_id == user_id))


def reader_of(session: Session, digest: str) -> str | None:
    """Return the id of the user whose feed has a secret, unless the account is disabled."""
    reader = select(User.id).join(NewsFeed, NewsFeed.user_id == User.id)
    return session.scalar(reader.where(NewsFeed.digest == digest, User.enabled))


def _articles() -> Select[Any, Any, Any, Any]:
    return (
        select(NewsArticle, User.display_name, Game.name, Version.name)
        .outerjoin(User, User.id == NewsArticle.author_id)
        .outerjoin(Game, Game.id == NewsArticle.game_id)
        .outerjoin(Version, Version.id == NewsArticle.version_id)
    )
