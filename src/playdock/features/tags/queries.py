"""Every statement on tags and the games that have them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec import UNSET, UnsetType
from sqlalchemy import Select, delete, exists, func, select, tuple_, update
from sqlalchemy.orm import Session, aliased

from playdock.db.insertion import insert_new
from playdock.db.turns import take_turn
from playdock.kit.folding import fold
from playdock.kit.secrets import new_id
from playdock.kit.texts import one_line
from playdock.metadata.facts import TagFact, TagKind
from playdock.models import GameTag, Tag

TURN = "tags"


@dataclass(frozen=True, slots=True)
class Counted:
    """A tag, and how many games have it."""

    tag: Tag
    games: int


def find_or_add(session: Session, tags: Sequence[TagFact], *, at: datetime) -> list[str]:
    """Give the ids of tags by kind and name, in that order and each once; those that there are not yet are added.

    Transactions that add tags take turns, for the reason that those that add companies do.
    """
    take_turn(session, TURN)
    keys = [(tag.kind.value, fold(tag.name)) for tag in tags]
    wanted = {key: tag.name for key, tag in zip(reversed(keys), reversed(tags), strict=True) if key[1]}
    for (kind, folded), name in wanted.items():
        values = {"id": new_id(), "kind": kind, "name": one_line(name), "folded": folded, "created": at}
        session.execute(insert_new(session, Tag, values, returning=(Tag.id,)))
    found = select(Tag.kind, Tag.folded, Tag.id).where(tuple_(Tag.kind, Tag.folded).in_(wanted))
    ids = {(row.kind, row.folded): row.id for row in session.execute(found)}
    return [ids[key] for key in dict.fromkeys(keys) if key in ids]


def replace(session: Session, game_id: str, tag_ids: Sequence[str]) -> None:
    """Say which tags a game has, the most telling first."""
    session.execute(delete(GameTag).where(GameTag.game_id == game_id))
    session.add_all(
        GameTag(game_id=game_id, tag_id=tag_id, position=position) for position, tag_id in enumerate(tag_ids)
    )


def of_game(session: Session, game_id: str) -> Sequence[Tag]:
    """Give the tags of a game, the most telling first."""
    statement = select(Tag).join(GameTag, GameTag.tag_id == Tag.id).where(GameTag.game_id == game_id)
    return session.scalars(statement.order_by(GameTag.position)).all()


def listing(session: Session, q: str, *, kind: TagKind | UnsetType) -> list[Counted]:
    """Give the tags with a folded text in their name, kind by kind, by name."""
    games = select(GameTag.tag_id, func.count().label("games")).group_by(GameTag.tag_id).subquery()
    statement = select(Tag, func.coalesce(games.c.games, 0)).outerjoin(games, games.c.tag_id == Tag.id)
    statement = statement.where(Tag.folded.contains(q, autoescape=True))
    if kind is not UNSET:
        statement = statement.where(Tag.kind == kind.value)
    return [Counted(*row) for row in session.execute(statement.order_by(Tag.kind, Tag.folded))]


def find(session: Session, tag_id: str) -> Tag | None:
    return session.get(Tag, tag_id)


def id_of(session: Session, tag: TagFact) -> str | None:
    """Give the id of a tag by kind and name, if there is one."""
    return session.scalar(select(Tag.id).where(Tag.kind == tag.kind.value, Tag.folded == fold(tag.name)))


def counted(session: Session, row: Tag) -> Counted:
    games = select(func.count()).select_from(GameTag).where(GameTag.tag_id == row.id)
    return Counted(row, session.scalar(games) or 0)


def games_of(tag_id: str) -> Select[str]:
    """Select the ids of the games that have a tag."""
    return select(GameTag.game_id).where(GameTag.tag_id == tag_id)


def add(session: Session, tag: TagFact, *, at: datetime) -> Tag:
    row = Tag(id=new_id(), kind=tag.kind.value, name=tag.name, folded=fold(tag.name), created=at)
    session.add(row)
    return row


def change(session: Session, tag_id: str, tag: TagFact) -> None:
    values = {"kind": tag.kind.value, "name": tag.name, "folded": fold(tag.name)}
    session.execute(update(Tag).where(Tag.id == tag_id).values(values))


def hand_over(session: Session, tag_id: str, *, into: str) -> None:
    """Give a tag's games another one; where a game has both, the place of the first of them counts."""
    pair, first = (tag_id, into), aliased(GameTag)
    same_game = first.game_id == GameTag.game_id
    before = exists().where(same_game, first.tag_id.in_(pair), first.position < GameTag.position)
    session.execute(delete(GameTag).where(GameTag.tag_id.in_(pair), before))
    session.execute(update(GameTag).where(GameTag.tag_id == tag_id).values(tag_id=into))


def remove(session: Session, tag_id: str) -> None:
    session.execute(delete(Tag).where(Tag.id == tag_id))
