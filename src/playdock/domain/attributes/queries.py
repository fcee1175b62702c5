"""Statements shared by companies and tags."""

from typing import Any

from sqlalchemy import and_, delete, exists, update
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased


def move_games(
    session: Session,
    owner: InstrumentedAttribute[str],
    owner_id: str,
    *,
    into: str,
    shared: tuple[InstrumentedAttribute[str], ...],
) -> None:
    """Assign the games of one attribute to another.

    ``owner`` is the column with the attribute's id, in a table that has one row per game and attribute. Rows of the two
    attributes with equal ``shared`` columns are duplicates: the one with the lower position is kept.
    """
    table: Any = owner.class_
    pair, other = (owner_id, into), aliased(table)
    is_duplicate = and_(*(getattr(other, column.key) == column for column in shared))
    is_earlier = getattr(other, owner.key).in_(pair) & (other.position < table.position)
    session.execute(delete(table).where(owner.in_(pair), exists().where(is_duplicate, is_earlier)))
    session.execute(update(table).where(owner == owner_id).values({owner: into}))
