"""Every statement on tags and the games that have them."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, select, tuple_
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_new
from playdock.kit.folding import fold
from playdock.kit.secrets import new_id
from playdock.metadata.facts import TagFact
from playdock.models import GameTag, Tag


def find_or_add(session: Session, tags: Sequence[TagFact], *, at: datetime) -> list[str]:
    """Give the ids of tags by kind and name, in that order and each once; those that there are not yet are added."""
    keys = [(tag.kind.value, fold(tag.name)) for tag in tags]
    wanted = {key: tag.name for key, tag in zip(reversed(keys), reversed(tags), strict=True) if key[1]}
    for (kind, folded), name in wanted.items():
        values = {"id": new_id(), "kind": kind, "name": name.strip(), "folded": folded, "created": at}
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
