"""Copying all rows of one database into another one, of the same or of the other kind.

Rows are read and written in batches, in the order of their foreign keys, in one transaction of the target. Before it is
committed, the rows of the target are read again and compared with those of the source by number and hash.
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
from sqlalchemy import (
    Connection,
    Engine,
    LargeBinary,
    NullPool,
    Table,
    bindparam,
    create_engine,
    delete,
    event,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.exc import DBAPIError, OperationalError

from playdock.db.database import SESSION_LIMITS, Database
from playdock.db.errors import DatabaseInUse, MoveFailed
from playdock.db.failures import DatabaseFault, fault_of, reason_of
from playdock.models import Base, CacheRevision, SchemaUpgrade, SearchEntry

_ROWS_AT_ONCE = 500
# A row of an import's checkpoints may have a megabyte.
_ROWS_WITH_BYTES_AT_ONCE = 20
# Rows that the migrations of the target have written. They are replaced last, because triggers change them.
_MIGRATED = (CacheRevision.__tablename__, SchemaUpgrade.__tablename__)
# The index of a search entry differs by the kind of database: it counts as outdated until it is written again.
_OUTDATED = {SearchEntry.__tablename__: {"version": 0}}
# PostgreSQL lists a session for a moment after its connection was closed.
_MAX_CLOSING_SECONDS = 5.0
_RETRY_SECONDS = 0.1
_HASHES = 1 << 256
_OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND backend_type = 'client backend'"
)
Progress = Callable[[str, int], None]


class TableSum(msgspec.Struct):
    """The number of rows of a table, and the sum of their hashes, which does not depend on their order."""

    rows: int = 0
    hashes: int = 0

    def add(self, row: Sequence[Any]) -> None:
        digest = hashlib.sha256(msgspec.msgpack.encode(list(row), order="deterministic")).digest()
        self.rows, self.hashes = self.rows + 1, (self.hashes + int.from_bytes(digest, "big")) % _HASHES


@contextmanager
def unused(db: Database, *, what: str) -> Iterator[Connection]:
    """Open a transaction that begins only if no other process uses the database, and in which none can write to it.

    SQLite locks the file for one connection, which fails while any other one is open, as in each running service.
    PostgreSQL locks all tables against writers, and lists the sessions of other processes.

    Raises:
        DatabaseInUse: another process has the database open.
    """
    # The pool of this process may have connections open.
    db.engine.dispose()
    engine = _exclusive_engine(db) if db.embedded else db.engine
    try:
        with engine.begin() as connection:
            if not db.embedded:
                _lock_tables(connection, what)
            yield connection
    except OperationalError as error:
        if fault_of(error) is DatabaseFault.BUSY:
            raise DatabaseInUse(what) from None
        raise
    finally:
        engine.dispose()


def _exclusive_engine(db: Database) -> Engine:
    engine = create_engine(db.url, poolclass=NullPool, connect_args={"timeout": 0})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _entry: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _lock_tables(connection: Connection, what: str) -> None:
    for limit in SESSION_LIMITS:
        connection.execute(text(f"SET LOCAL {limit} = 0"))
    connection.execute(text("SET LOCAL lock_timeout = '5s'"))
    names = ", ".join(table.name for table in Base.metadata.sorted_tables)
    connection.execute(text(f"LOCK TABLE {names} IN SHARE MODE"))
    deadline = time.monotonic() + _MAX_CLOSING_SECONDS
    while connection.execute(text(_OTHERS)).scalar_one():
        if time.monotonic() >= deadline:
            raise DatabaseInUse(what)
        time.sleep(_RETRY_SECONDS)


def is_empty(connection: Connection) -> bool:
    """Return whether no table has rows, except those that migrations write."""
    return not any(
        connection.execute(select(func.count()).select_from(table)).scalar_one()
        for table in Base.metadata.sorted_tables
        if table.name not in _MIGRATED
    )


def copy(source: Connection, target: Connection, *, progress: Progress) -> Mapping[str, int]:
    """Copy all rows into empty tables, compare them, and return how many each table has.

    Raises:
        MoveFailed: the target does not take a row, or has others than the source after that.
    """
    tables = sorted(Base.metadata.sorted_tables, key=lambda table: table.name in _MIGRATED)
    sums = {}
    for table in tables:
        try:
            if table.name in _MIGRATED:
                target.execute(delete(table))
            sums[table.name] = _copy_table(source, target, table)
        except DBAPIError as error:
            raise MoveFailed(f"the table {table.name} cannot be copied: {reason_of(error)}.") from None
        progress(table.name, sums[table.name].rows)
    for table in tables:
        if table.name not in _OUTDATED and _sum(target, table) != sums[table.name]:
            raise MoveFailed(f"the rows of the table {table.name} differ after they were copied.")
    if target.dialect.name == "postgresql":
        _set_sequences(target)
    return {name: each.rows for name, each in sums.items()}


def _copy_table(source: Connection, target: Connection, table: Table) -> TableSum:
    """Copy the rows of a table; references within the table are set when all its rows are there."""
    own = [column.name for column in table.columns if any(key.column.table is table for key in column.foreign_keys)]
    replaced = {**dict.fromkeys(own), **_OUTDATED.get(table.name, {})}
    total = TableSum()
    for rows in _batches(source, table):
        for row in rows:
            total.add(row)
        target.execute(insert(table), [{**row._mapping, **replaced} for row in rows])  # noqa: SLF001 - the public name
    for name in own:
        [key] = table.primary_key.columns
        reference = update(table).where(key == bindparam("of")).values({name: bindparam("to")})
        referring = select(key.label("of"), table.c[name].label("to")).where(table.c[name].is_not(None))
        with source.execute(referring, execution_options={"yield_per": _ROWS_AT_ONCE}) as result:
            for rows in result.partitions():
                target.execute(reference, [{"of": row.of, "to": row.to} for row in rows])
    return total


def _sum(connection: Connection, table: Table) -> TableSum:
    total = TableSum()
    for rows in _batches(connection, table):
        for row in rows:
            total.add(row)
    return total


def _batches(connection: Connection, table: Table) -> Iterator[Sequence[Any]]:
    with_bytes = any(isinstance(column.type, LargeBinary) for column in table.columns)
    size = _ROWS_WITH_BYTES_AT_ONCE if with_bytes else _ROWS_AT_ONCE
    with connection.execute(select(table), execution_options={"yield_per": size}) as result:
        yield from result.partitions()


def _set_sequences(target: Connection) -> None:
    """Let PostgreSQL continue after the largest numbers of rows that were copied with theirs."""
    for table in Base.metadata.sorted_tables:
        column = table.autoincrement_column
        if column is not None:
            sequence = func.pg_get_serial_sequence(table.name, column.name)
            target.execute(select(func.setval(sequence, func.coalesce(func.max(column), 0) + 1, False)))
