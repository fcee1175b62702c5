"""Rows that follow a version to another game.

Which rows these are follows from the foreign keys: all that refer to both, so that a table that is added later is not
forgotten.
"""

from collections.abc import Iterator

from sqlalchemy import Column, Table, delete, exists, update
from sqlalchemy.orm import Session

from playdock.models import Base, Game, Version


def reassign(session: Session, version_id: str, *, game_id: str) -> None:
    """Let all rows that refer to a version and its game refer to another game.

    If a row of that game is in the place of one of them, which is unique, that one is deleted.
    """
    for table, version, game in tables_with_both():
        moved = version == version_id
        if game.primary_key:
            other = table.alias()
            same = [each == other.c[each.name] for each in table.primary_key if each is not game]
            taken = exists().where(other.c[game.name] == game_id, *same)
            session.execute(delete(table).where(moved, game != game_id, taken))
        session.execute(update(table).where(moved).values({game.name: game_id}))


def tables_with_both() -> Iterator[tuple[Table, Column[str], Column[str]]]:
    """Yield the tables that refer to a version and to a game, and with which columns."""
    for table in Base.metadata.sorted_tables:
        version, game = _column(table, Version.__tablename__), _column(table, Game.__tablename__)
        if version is not None and game is not None and table.name != Version.__tablename__:
            yield table, version, game


def _column(table: Table, referred: str) -> Column[str] | None:
    keys = (key for key in sorted(table.foreign_keys, key=str) if key.column.table.name == referred)
    return next((key.parent for key in keys), None)
