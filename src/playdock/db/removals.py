"""Deleting a row so that it can be made whole again: with everything that is deleted with it, or refers to it.

Which rows these are follows from the foreign keys of the tables, so that a table that is added later is not forgotten.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec import Struct, field
from sqlalchemy import Column, Date, ForeignKey, Table, and_, delete, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Session

from playdock.db.insertion import insert_into
from playdock.models import Base
from playdock.models.base import UtcDateTime
from playdock.stored_file_changes import ClearedReference, RemovedRows, RestorableRows


class NotRestorable(Exception):
    """What was deleted cannot be restored, because of another row with the same unique values."""


def remove(
    session: Session, owner: type[DeclarativeBase], row_id: str, *, without: Collection[str]
) -> RestorableRows | None:
    """Delete a row, and return what is needed to restore it; None if there is no such row.

    ``without`` are the tables with rows that are not worth restoring, because they are computed or short-lived.
    """
    table = Base.metadata.tables[owner.__tablename__]
    collector = _Collector(session, without)
    collector.collect(table.c.id, [row_id])
    if not collector.found:
        return None
    session.execute(delete(table).where(table.c.id == row_id))
    removed = (RemovedRows(table=str(name), rows=tuple(map(_encoded, rows))) for name, rows in collector.found.items())
    return RestorableRows(removed=tuple(removed), cleared=tuple(collector.cleared))


def restore(
    session: Session, removal: RestorableRows, owner: type[DeclarativeBase], changes: Mapping[str, Any]
) -> None:
    """Restore what was deleted, with changes of some columns of the owner's row.

    Rows that refer to something that no longer exists are left out, as are those that exist again.

    Raises:
        NotRestorable: there is another row in its place.
    """
    try:
        with session.begin_nested():
            _restore(session, removal, owner, changes)
    except IntegrityError:
        raise NotRestorable from None


def _restore(
    session: Session, removal: RestorableRows, owner: type[DeclarativeBase], changes: Mapping[str, Any]
) -> None:
    restorer = _Restorer(session)
    for each in removal.removed:
        table = Base.metadata.tables.get(each.table)
        if table is None:
            continue
        is_owner = table.name == owner.__tablename__
        rows = [_decoded(table, stored) | dict(changes if is_owner else {}) for stored in each.rows]
        restorer.insert(table, rows, is_owner=is_owner)
    for table, row in restorer.later:
        values = {key.parent.name: row[key.parent.name] for key in _keys_to_itself(table)}
        session.execute(update(table).where(table.c.id == row["id"]).values(values))
    for reference in removal.cleared:
        _refer_again(session, reference)


class _Collector(Struct):
    """Collects the rows that are deleted with a row, by table, and the references to them that become null."""

    session: Session
    without: Collection[str]
    found: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    cleared: list[ClearedReference] = field(default_factory=list)

    def collect(self, column: Column[Any], values: Collection[str]) -> None:
        """Collect the rows with some values in a column, and then those that refer to them."""
        table = column.table
        known = {_key_of(table, row) for row in self.found.get(table.name, ())}
        rows = (dict(row) for row in self.session.execute(select(table).where(column.in_(values))).mappings())
        new = [row for row in rows if _key_of(table, row) not in known]
        if not new:
            return
        self.found.setdefault(table.name, []).extend(new)
        for key in _keys_to(table):
            referred = {row[key.column.name] for row in new}
            if key.parent.table.name in self.without:
                continue
            if key.ondelete == "CASCADE":
                self.collect(key.parent, referred)
            elif key.ondelete == "SET NULL":
                self.cleared += self._references(key, referred)

    def _references(self, key: ForeignKey, values: Collection[str]) -> Iterator[ClearedReference]:
        table, column = key.parent.table, key.parent
        for row in self.session.execute(select(*table.primary_key, column).where(column.in_(values))):
            found = {str(each.name): value for each, value in zip(table.primary_key, row, strict=False)}
            yield ClearedReference(table=str(table.name), column=str(column.name), key=found, value=row[-1])


class _Restorer(Struct):
    """Inserts rows, table by table. References between rows of one table are set ``later``, when all are there.

    A game has thousands of rows that refer to the same few others, which are looked up once (``known``).
    """

    session: Session
    later: list[tuple[Table, dict[str, Any]]] = field(default_factory=list)
    known: set[tuple[str, Any]] = field(default_factory=set)

    def insert(self, table: Table, rows: Sequence[dict[str, Any]], *, is_owner: bool) -> None:
        ready = [row for row in rows if self._can_refer(table, row)]
        itself = _keys_to_itself(table)
        for row in ready:
            if any(row.get(key.parent.name) for key in itself):
                self.later.append((table, dict(row)))
                row |= {key.parent.name: None for key in itself}
        if ready and is_owner:
            self.session.execute(insert(table), ready)
        elif ready:
            self.session.execute(insert_into(self.session, table).on_conflict_do_nothing(), ready)

    def _can_refer(self, table: Table, row: dict[str, Any]) -> bool:
        """Return whether all that a row has to refer to exists. Other references become null."""
        for key in table.foreign_keys - set(_keys_to_itself(table)):
            value = row.get(key.parent.name)
            if value is None or self._exists(key, value):
                continue
            if not key.parent.nullable:
                return False
            row[key.parent.name] = None
        return True

    def _exists(self, key: ForeignKey, value: Any) -> bool:
        place = (key.target_fullname, value)
        if place not in self.known and self.session.execute(select(key.column).where(key.column == value)).first():
            self.known.add(place)
        return place in self.known


def _refer_again(session: Session, reference: ClearedReference) -> None:
    table = Base.metadata.tables.get(reference.table)
    if table is None or reference.column not in table.c:
        return
    column = table.c[reference.column]
    same = [table.c[name] == value for name, value in reference.key.items()]
    session.execute(update(table).where(and_(*same), column.is_(None)).values({column.name: reference.value}))


def _keys_to(table: Table) -> Iterator[ForeignKey]:
    """Yield the foreign keys of all tables that refer to one."""
    for other in Base.metadata.sorted_tables:
        yield from (key for key in sorted(other.foreign_keys, key=str) if key.column.table is table)


def _keys_to_itself(table: Table) -> list[ForeignKey]:
    return [key for key in table.foreign_keys if key.column.table is table]


def _key_of(table: Table, row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[column.name] for column in table.primary_key)


def _encoded(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return {str(name): value.isoformat() if isinstance(value, date) else value for name, value in row.items()}


def _decoded(table: Table, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with the columns that the table has now."""
    return {name: _value(table.c[name].type, value) for name, value in stored.items() if name in table.c}


def _value(column_type: Any, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column_type, UtcDateTime):
        return datetime.fromisoformat(value)
    return date.fromisoformat(value) if isinstance(column_type, Date) else value
