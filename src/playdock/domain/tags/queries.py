"""All statements on tags and the games that have them."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType
from sqlalchemy import Select, delete, exists, func, select, tuple_, update
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_or_ignore
from playdock.db.locks import LockLevel, advisory_lock
from playdock.domain.attributes import queries as attribute_queries
from playdock.kit.identifiers import new_id
from playdock.kit.texts import normalize, one_line
from playdock.metadata.game_metadata import TagFact, TagKind
from playdock.models import GameTag, Tag

LOCK = LockLevel.TAGS


class ListedTag(NamedTuple):
    """What tags are listed by; ``name`` is normalized."""

    id: str
    kind: str
    name: str


class TagCount(Struct, frozen=True):
    """A tag, and how many games have it."""

    tag: Tag
    games: int


def find_or_add(session: Session, tags: Sequence[TagFact], *, at: datetime) -> list[str]:
    """Return the ids of tags, in that order and without duplicates; add missing tags.

    Takes an advisory lock: two transactions adding the same tags in a different order would deadlock.
    """
    advisory_lock(session, LOCK)
    keys = [(tag.kind.value, normalize(tag.name)) for tag in tags]
    names_by_key = {key: tag.name for key, tag in zip(reversed(keys), reversed(tags), strict=True) if key[1]}
    for (kind, normalized_name), name in names_by_key.items():
        values = {
            "id": new_id(),
            "kind": kind,
            "name": one_line(name),
            "normalized_name": normalized_name,
            "created": at,
        }
        session.execute(insert_or_ignore(session, Tag, values))
    statement = select(Tag.kind, Tag.normalized_name, Tag.id).where(
        tuple_(Tag.kind, Tag.normalized_name).in_(names_by_key)
    )
    ids = {(row.kind, row.normalized_name): row.id for row in session.execute(statement)}
    return [ids[key] for key in dict.fromkeys(keys) if key in ids]


def replace(session: Session, game_id: str, tag_ids: Sequence[str]) -> None:
    """Set the tags of a game, most relevant first."""
    session.execute(delete(GameTag).where(GameTag.game_id == game_id))
    session.add_all(
        GameTag(game_id=game_id, tag_id=tag_id, position=position) for position, tag_id in enumerate(tag_ids)
    )


def of_game(session: Session, game_id: str) -> Sequence[Tag]:
    """Return the tags of a game, most relevant first."""
    statement = select(Tag).join(GameTag, GameTag.tag_id == Tag.id).where(GameTag.game_id == game_id)
    return session.scalars(statement.order_by(GameTag.position)).all()


def names(session: Session, *, kind: TagKind | UnsetType) -> list[ListedTag]:
    """Return the ids, kinds and normalized names of the tags of a kind, by kind and name."""
    statement = select(Tag.id, Tag.kind, Tag.normalized_name)
    if kind is not UNSET:
        statement = statement.where(Tag.kind == kind.value)
    # The databases sort names differently.
    return sorted((ListedTag(*row) for row in session.execute(statement)), key=lambda tag: (tag.kind, tag.name))


def with_counts(session: Session, tag_ids: Sequence[str]) -> list[TagCount]:
    """Return tags in the order of their ids."""
    games = select(func.count()).where(GameTag.tag_id == Tag.id).scalar_subquery()
    found = {row.Tag.id: TagCount(*row) for row in session.execute(select(Tag, games).where(Tag.id.in_(tag_ids)))}
    return [found[tag_id] for tag_id in tag_ids]


def find(session: Session, tag_id: str) -> Tag | None:
    return session.get(Tag, tag_id)


def id_of(session: Session, tag: TagFact) -> str | None:
    """Return the id of the tag with this kind and name, or None."""
    return session.scalar(select(Tag.id).where(Tag.kind == tag.kind.value, Tag.normalized_name == normalize(tag.name)))


def with_count(session: Session, row: Tag) -> TagCount:
    games = select(func.count()).select_from(GameTag).where(GameTag.tag_id == row.id)
    return TagCount(row, session.scalar(games) or 0)


def games_of(tag_id: str) -> Select[str]:
    """Return a subquery of the ids of the games that have a tag."""
    return select(GameTag.game_id).where(GameTag.tag_id == tag_id)


def add(session: Session, tag: TagFact, *, at: datetime) -> Tag:
    row = Tag(id=new_id(), kind=tag.kind.value, name=tag.name, normalized_name=normalize(tag.name), created=at)
    session.add(row)
    return row


def change(session: Session, tag_id: str, tag: TagFact) -> None:
    values = {"kind": tag.kind.value, "name": tag.name, "normalized_name": normalize(tag.name)}
    session.execute(update(Tag).where(Tag.id == tag_id).values(values))


def move_games(session: Session, tag_id: str, *, into: str) -> None:
    """Replace a tag by another one in all its games; the lower position is kept where a game has both."""
    attribute_queries.move_games(session, GameTag.tag_id, tag_id, into=into, shared=(GameTag.game_id,))


def added_with(session: Session, game_id: str, *, at: datetime) -> Sequence[str]:
    """Return the ids of the tags that were added when a game was, at that time."""
    statement = select(Tag.id).join(GameTag, GameTag.tag_id == Tag.id)
    return session.scalars(statement.where(GameTag.game_id == game_id, Tag.created == at)).all()


def remove_unused(session: Session, tag_id: str) -> None:
    """Delete a tag, unless a game has it."""
    is_used = exists().where(GameTag.tag_id == tag_id)
    session.execute(delete(Tag).where(Tag.id == tag_id, ~is_used))


def remove(session: Session, tag_id: str) -> None:
    session.execute(delete(Tag).where(Tag.id == tag_id))
