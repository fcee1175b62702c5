"""Inserting what may be there already, in one statement on either database, so that racers cannot both win."""

from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute, Session
from sqlalchemy.sql.dml import ReturningInsert


def insert_new(
    session: Session,
    table: type[DeclarativeBase],
    values: dict[str, Any],
    *,
    returning: tuple[InstrumentedAttribute[Any], ...],
    unique: InstrumentedAttribute[Any] | None = None,
    where: ColumnElement[bool] | None = None,
) -> ReturningInsert[Any]:
    """Make an INSERT that does nothing, and returns no row, where a unique constraint is in the way.

    Without ``unique`` any constraint counts; ``where`` names the partial index that holds it.
    """
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    elements = None if unique is None else [unique]
    statement = insert(table).values(values).on_conflict_do_nothing(index_elements=elements, index_where=where)
    return statement.returning(*returning)
