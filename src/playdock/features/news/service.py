"""Reading and writing news, and private feeds."""

from collections.abc import Sequence
from threading import Lock
from typing import Any

from msgspec import UNSET, Struct, field, structs
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.db.failures import on_rollback
from playdock.domain.events import queries as event_queries
from playdock.domain.games.errors import GameUnknown, VersionUnknown
from playdock.domain.objects import queries as object_queries
from playdock.domain.objects.rules import INTERNAL
from playdock.domain.objects.service import Objects, StoredBytes
from playdock.features.accounts.errors import PictureRefused
from playdock.features.accounts.service import lock_caller
from playdock.features.news import queries, rules
from playdock.features.news.errors import NewsArticleUnknown, NewsFeedUnknown, ReleaseNotesExist
from playdock.features.news.queries import ListedArticle
from playdock.features.news.schemas import ArticleChanges, ArticleCreate, NewsQuery
from playdock.kit.clock import Clock
from playdock.kit.identifiers import digest, new_id, new_secret
from playdock.models import NewsFeed
from playdock.pictures.images import MEDIA_TYPE, UnusablePicture
from playdock.pictures.operations import renditions
from playdock.server.request_rate import RequestRate

_FEED_PREFIX = "pdf"


class News(Struct, frozen=True):
    """Operations on articles and feeds."""

    db: Database
    clock: Clock
    objects: Objects
    _feed_rate: RequestRate = field(default_factory=lambda: RequestRate(rules.REQUESTS_PER_MINUTE))
    _lock: Lock = field(default_factory=Lock)

    def list_all(self, actor: Actor, query: NewsQuery) -> Sequence[ListedArticle]:
        """Return articles, by default the newest first."""
        actor.require(Permission.NEWS_READ)
        with self.db.read() as session:
            return queries.listed(
                session,
                game_id=query.game,
                text=query.search,
                oldest_first=query.order == "asc",
                offset=query.skip,
                limit=query.limit,
            )

    def show(self, actor: Actor, article_id: str) -> ListedArticle:
        """Return an article.

        Raises:
            NewsArticleUnknown: there is none with this id.
        """
        actor.require(Permission.NEWS_READ)
        with self.db.read() as session:
            return _found(session, article_id)

    def create(self, actor: Actor, data: ArticleCreate) -> ListedArticle:
        """Publish an article. Players are notified of it, unless it is release notes.

        Raises:
            GameUnknown, VersionUnknown: there is no such game or version.
            ReleaseNotesExist: the version has release notes.
        """
        actor.require(Permission.NEWS_CREATE)
        now, article_id = self.clock(), new_id()
        with self.db.write() as session:
            values = {
                "id": article_id,
                "title": data.title,
                "description": data.description,
                "content": data.content,
                "author_id": actor.user.id,
                "game_id": _game_of(session, data),
                "version_id": data.version_id,
                "published": now,
                "changed": now,
            }
            if not queries.add(session, values):
                raise ReleaseNotesExist
            found = _found(session, article_id)
            if data.version_id is None:
                event_queries.add_article(session, found.article, at=now)
            return found

    def change(self, actor: Actor, article_id: str, changes: ArticleChanges) -> ListedArticle:
        """Change an article.

        Raises:
            NewsArticleUnknown: there is none with this id.
        """
        actor.require(Permission.NEWS_CREATE)
        given = {name: value for name, value in structs.asdict(changes).items() if value is not UNSET}
        with self.db.write() as session:
            self._change(session, article_id, given)
            return _found(session, article_id)

    def delete(self, actor: Actor, article_id: str) -> None:
        """Delete an article with its image.

        Raises:
            NewsArticleUnknown: there is none with this id.
        """
        actor.require(Permission.NEWS_DELETE)
        with self.db.write() as session:
            image = _found(session, article_id).article.image_id
            queries.remove(session, article_id)
            if image:
                object_queries.remove(session, image)
        if image:
            self.objects.discard(image)

    def replace_image(self, actor: Actor, article_id: str, data: bytes) -> None:
        """Replace the image of an article.

        Raises:
            NewsArticleUnknown: there is none with this id.
            PictureRefused: the image is not acceptable.
        """
        actor.require(Permission.NEWS_CREATE)
        try:
            *_, largest = (each for each in renditions(data) if each.media_type == MEDIA_TYPE)
        except UnusablePicture as reason:
            raise PictureRefused(reason.message) from None
        written = self.objects.write(largest.data, media_type=MEDIA_TYPE)
        with on_rollback(lambda: self.objects.discard(written.id)):
            self._set_image(article_id, written)

    def remove_image(self, actor: Actor, article_id: str) -> None:
        """Remove the image of an article, if it has one.

        Raises:
            NewsArticleUnknown: there is none with this id.
        """
        actor.require(Permission.NEWS_CREATE)
        self._set_image(article_id, None)

    def own_feed(self, actor: Actor) -> NewsFeed | None:
        """Return the caller's feed, if there is one."""
        actor.require(Permission.NEWS_READ)
        with self.db.read() as session:
            return queries.find_feed(session, actor.user.id)

    def create_feed(self, actor: Actor) -> str:
        """Create the caller's feed, or replace it, and return the path of its URL, which is not stored."""
        actor.require(Permission.NEWS_READ)
        secret = new_secret(_FEED_PREFIX)
        with self.db.write() as session:
            lock_caller(session, actor)
            queries.put_feed(session, actor.user.id, digest(secret), at=self.clock())
        return f"/api/v1/news/feed/{secret}"

    def revoke_feed(self, actor: Actor) -> None:
        """Revoke the caller's feed, if there is one."""
        actor.require(Permission.NEWS_READ)
        with self.db.write() as session:
            queries.remove_feed(session, actor.user.id)

    def feed(self, secret: str) -> Sequence[ListedArticle]:
        """Return the newest articles for the owner of a feed.

        Raises:
            NewsFeedUnknown: no feed of an enabled account has this secret.
            TooManyRequests: it is read too often.
        """
        with self.db.read() as session:
            reader = queries.reader_of(session, digest(secret))
            if reader is None:
                raise NewsFeedUnknown
            with self._lock:
                self._feed_rate.count(reader)
            return queries.listed(session, limit=rules.MAX_ENTRIES)

    def _set_image(self, article_id: str, written: StoredBytes | None) -> None:
        with self.db.write() as session:
            before = _found(session, article_id).article.image_id
            if written:
                self.objects.adopt(session, written, reader=INTERNAL)
            self._change(session, article_id, {"image_id": written.id if written else None})
            if before:
                object_queries.remove(session, before)
        if before:
            self.objects.discard(before)

    def _change(self, session: Session, article_id: str, values: dict[str, Any]) -> None:
        if not queries.change(session, article_id, {**values, "changed": self.clock()}):
            raise NewsArticleUnknown


def _found(session: Session, article_id: str) -> ListedArticle:
    found = queries.find(session, article_id)
    if found is None:
        raise NewsArticleUnknown
    return found


def _game_of(session: Session, data: ArticleCreate) -> str | None:
    if data.version_id is not None:
        game_id = queries.game_of_version(session, data.version_id)
        if game_id is None:
            raise VersionUnknown
        return game_id
    if data.game_id is not None and not queries.game_exists(session, data.game_id):
        raise GameUnknown
    return data.game_id
