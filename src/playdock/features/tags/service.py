"""What administrators do with tags."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.db.turns import take_turn
from playdock.features.games import queries as game_queries
from playdock.features.search import queries as search_queries
from playdock.features.tags import queries, rules
from playdock.features.tags.errors import TagTaken, TagUnknown
from playdock.features.tags.queries import Counted
from playdock.features.tags.schemas import TagChanges, TagDraft, TagQuery
from playdock.kit.clock import Clock
from playdock.kit.errors import InvalidInput
from playdock.kit.folding import fold
from playdock.kit.texts import one_line
from playdock.metadata.facts import TagFact, TagKind
from playdock.models import Tag


@dataclass(frozen=True, slots=True)
class Tags:
    """Tags in the hands of administrators.

    Whoever changes one takes the tags' turn first and holds its games next, as everybody does, so that no two wait for
    each other.
    """

    db: Database
    clock: Clock

    def listing(self, actor: Actor, wanted: TagQuery) -> Sequence[Counted]:
        """Give tags, kind by kind, by name."""
        actor.require(Acl.TAGS_READ)
        with self.db.read() as session:
            return queries.listing(session, fold(wanted.q), kind=wanted.kind)

    def add(self, actor: Actor, draft: TagDraft) -> Counted:
        """Add a tag.

        Raises:
            TagTaken: there is one of this kind and name.
        """
        actor.require(Acl.TAGS_NEW)
        tag = TagFact(draft.kind, one_line(draft.name))
        with self.db.write() as session:
            take_turn(session, queries.TURN)
            _refuse_taken(session, tag)
            return Counted(queries.add(session, tag, at=self.clock()), games=0)

    def change(self, actor: Actor, tag_id: str, changes: TagChanges) -> Counted:
        """Change what is given.

        Raises:
            TagUnknown: there is none with this id.
            TagTaken: there is one of this kind and name.
        """
        actor.require(Acl.TAGS_UPDATE)
        with self.db.write() as session:
            take_turn(session, queries.TURN)
            row = _found(session, tag_id)
            _change(session, row, changes)
            return queries.counted(session, row)

    def delete(self, actor: Actor, tag_id: str) -> None:
        """Delete a tag; its games stay.

        Raises:
            TagUnknown: there is none with this id.
        """
        actor.require(Acl.TAGS_DELETE)
        with self.db.write() as session:
            take_turn(session, queries.TURN)
            row = _found(session, tag_id)
            games = _held(session, row.id)
            queries.remove(session, row.id)
            _settle(session, games)

    def merge(self, actor: Actor, tag_id: str, into: str) -> Counted:
        """Give a tag's games another one, delete the tag, and give the other one.

        Raises:
            TagUnknown: there is none with one of the ids.
            InvalidInput: both are the same.
        """
        actor.require(Acl.TAGS_UPDATE)
        actor.require(Acl.TAGS_DELETE)
        with self.db.write() as session:
            take_turn(session, queries.TURN)
            row, other = _found(session, tag_id), _found(session, into)
            if faults := rules.unmergeable(row.id, other.id):
                raise InvalidInput(faults)
            games = _held(session, row.id)
            queries.hand_over(session, row.id, into=other.id)
            queries.remove(session, row.id)
            _settle(session, games)
            return queries.counted(session, other)


_Sources = Mapping[str, dict[str, str]]


def _found(session: Session, tag_id: str) -> Tag:
    row = queries.find(session, tag_id)
    if row is None:
        raise TagUnknown
    return row


def _refuse_taken(session: Session, tag: TagFact, *, but: str = "") -> None:
    if queries.id_of(session, tag) not in (None, but):
        raise TagTaken(tag.kind, tag.name)


def _change(session: Session, row: Tag, changes: TagChanges) -> None:
    before = TagFact(TagKind(row.kind), row.name)
    after = rules.changed(before, changes)
    if after == before:
        return
    _refuse_taken(session, after, but=row.id)
    games = _held(session, row.id)
    queries.change(session, row.id, after)
    if not rules.is_same(before, after):
        game_queries.set_sources(session, games)
    search_queries.reindex(session, sorted(games))


def _held(session: Session, tag_id: str) -> _Sources:
    """Hold the games of a tag, and give who says what of each once an administrator has decided on it."""
    sources = game_queries.hold_games(session, queries.games_of(tag_id))
    return {game_id: rules.decided(said) for game_id, said in sources.items()}


def _settle(session: Session, games: _Sources) -> None:
    """Write down what was decided on games, and let them be found by it."""
    game_queries.set_sources(session, games)
    search_queries.reindex(session, sorted(games))
