"""Operations of administrators on tags."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.db.locks import advisory_lock
from playdock.domain.attributes.service import reindex, reject_self_merge, save_sources
from playdock.domain.games import queries as game_queries
from playdock.domain.tags import queries
from playdock.domain.tags.queries import TagCount
from playdock.features.tags import rules
from playdock.features.tags.errors import TagTaken, TagUnknown
from playdock.features.tags.schemas import TagChanges, TagCreate, TagQuery
from playdock.kit.clock import Clock
from playdock.kit.messages import Message
from playdock.kit.texts import has_words, one_line
from playdock.metadata.game_metadata import TagFact, TagKind
from playdock.models import Tag


class TagListing(Struct, frozen=True):
    """A page of tags, their total number, and the cursor of the next page, None on the last page."""

    tags: Sequence[TagCount]
    total: int
    next: str | None


class Tags(Struct, frozen=True):
    """Operations on tags. Each change takes the advisory lock first and locks the games second."""

    db: Database
    clock: Clock

    def listing(self, actor: Actor, query: TagQuery) -> TagListing:
        """Return a page of tags by kind and name; the cursor is the kind and the normalized name of its last tag."""
        actor.require(Permission.TAGS_READ)
        with self.db.read() as session:
            # In Python, because the databases do not ignore accents.
            found = [tag for tag in queries.names(session, kind=query.kind) if has_words(tag.name, query.q)]
            following = rules.after_cursor(found, query.after)
            page = following[: query.limit]
            rows = queries.with_counts(session, [tag.id for tag in page])
        return TagListing(rows, len(found), rules.cursor(page[-1]) if len(following) > query.limit else None)

    def add(self, actor: Actor, data: TagCreate) -> TagCount:
        """Add a tag.

        Raises:
            TagTaken: another tag has this kind and name.
        """
        actor.require(Permission.TAGS_NEW)
        tag = TagFact(data.kind, one_line(data.name))
        with self.db.write() as session:
            advisory_lock(session, queries.LOCK)
            _require_unused_name(session, tag)
            return TagCount(queries.add(session, tag, at=self.clock()), games=0)

    def change(self, actor: Actor, tag_id: str, changes: TagChanges) -> TagCount:
        """Change the given fields.

        Raises:
            TagUnknown: no tag has this id.
            TagTaken: another tag has this kind and name.
        """
        actor.require(Permission.TAGS_UPDATE)
        with self.db.write() as session:
            advisory_lock(session, queries.LOCK)
            row = _require_tag(session, tag_id)
            _change(session, row, changes)
            return queries.with_count(session, row)

    def delete(self, actor: Actor, tag_id: str) -> None:
        """Delete a tag; its games are kept.

        Raises:
            TagUnknown: no tag has this id.
        """
        actor.require(Permission.TAGS_DELETE)
        with self.db.write() as session:
            advisory_lock(session, queries.LOCK)
            row = _require_tag(session, tag_id)
            games = _lock_games(session, row.id)
            queries.remove(session, row.id)
            save_sources(session, games)

    def merge(self, actor: Actor, tag_id: str, into: str) -> TagCount:
        """Replace a tag by another one in all its games, delete it, and return the other one.

        Raises:
            TagUnknown: no tag has one of the ids.
            InvalidInput: both ids are the same.
        """
        actor.require(Permission.TAGS_UPDATE)
        actor.require(Permission.TAGS_DELETE)
        with self.db.write() as session:
            advisory_lock(session, queries.LOCK)
            row, other = _require_tag(session, tag_id), _require_tag(session, into)
            reject_self_merge(row.id, into=other.id, error=Message("tag-into-itself"))
            games = _lock_games(session, row.id)
            queries.move_games(session, row.id, into=other.id)
            queries.remove(session, row.id)
            save_sources(session, games)
            return queries.with_count(session, other)


_Sources = Mapping[str, dict[str, str]]


def _require_tag(session: Session, tag_id: str) -> Tag:
    row = queries.find(session, tag_id)
    if row is None:
        raise TagUnknown
    return row


def _require_unused_name(session: Session, tag: TagFact, *, except_id: str = "") -> None:
    if queries.id_of(session, tag) not in (None, except_id):
        raise TagTaken(tag.kind, tag.name)


def _change(session: Session, row: Tag, changes: TagChanges) -> None:
    before = TagFact(TagKind(row.kind), row.name)
    after = rules.apply_changes(before, changes)
    if after == before:
        return
    _require_unused_name(session, after, except_id=row.id)
    games = _lock_games(session, row.id)
    queries.change(session, row.id, after)
    if not rules.is_same(before, after):
        game_queries.set_sources(session, games)
    reindex(session, games)


def _lock_games(session: Session, tag_id: str) -> _Sources:
    """Lock the games of a tag, and return their sources with the tags marked as manual."""
    sources = game_queries.lock_games(session, queries.games_of(tag_id))
    return {game_id: rules.with_manual_tags(of_game) for game_id, of_game in sources.items()}
