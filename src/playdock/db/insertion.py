"""INSERT statements with ON CONFLICT, which SQLAlchemy has only in the dialects of both databases."""

from typing import Any, cast

from sqlalchemy import ColumnElement, Executable, Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute, Session


def insert_into(session: Session, table: type[DeclarativeBase] | Table) -> sqlite.Insert:
    """Return an INSERT for the database of a session. The methods of both dialects are the same."""
    if session.get_bind().dialect.name == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return cast("sqlite.Insert", postgresql.insert(table))


def insert_or_ignore(
    session: Session,
    table: type[DeclarativeBase],
    values: dict[str, Any],
    *,
    returning: tuple[InstrumentedAttribute[Any], ...] = (),
    unique: InstrumentedAttribute[Any] | None = None,
    where: ColumnElement[bool] | None = None,
) -> Executable:
    """Return an INSERT that does nothing and returns no row if it would violate a unique constraint.

    Without ``unique`` this applies to any constraint. ``where`` is the condition of a partial unique index. A returned
    row must be read: SQLite refuses to commit while a statement has rows left.
    """
    elements = None if unique is None else [unique]
    insert = insert_into(session, table).values(values)
    insert = insert.on_conflict_do_nothing(index_elements=elements, index_where=where)
    return insert.returning(*returning) if returning else insert
