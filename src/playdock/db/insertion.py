"""Inserting a row unless it exists, atomically in one statement on both databases."""

from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute, Session
from sqlalchemy.sql.dml import ReturningInsert


def insert_or_ignore(
    session: Session,
    table: type[DeclarativeBase],
    values: dict[str, Any],
    *,
    returning: tuple[InstrumentedAttribute[Any], ...],
    unique: InstrumentedAttribute[Any] | None = None,
    where: ColumnElement[bool] | None = None,
) -> ReturningInsert[Any]:
    """Return an INSERT that does nothing and returns no row if it would violate a unique constraint.

    Without ``unique`` this applies to any constraint. ``where`` is the condition of a partial unique index.
    """
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    elements = None if unique is None else [unique]
    statement = insert(table).values(values).on_conflict_do_nothing(index_elements=elements, index_where=where)
    return statement.returning(*returning)
