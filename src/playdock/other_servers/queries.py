"""All statements on databases of other servers, which are only read.

PostgreSQL and MariaDB refuse to write in a read-only transaction, SQLite in a file that was opened read-only. All rows
are those of one moment.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    NullPool,
    column,
    create_engine,
    event,
    func,
    inspect,
    select,
    table,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from playdock.db.failures import reason_of
from playdock.kit.database_urls import with_driver
from playdock.other_servers.errors import SourceUnreadable, SourceUnsupported, SourceUrlInvalid

# A row by the names of its columns.
Row: TypeAlias = Mapping[str, Any]
_CONNECT_SECONDS = 10


class SourceDatabase:
    """The tables of another server's database, in one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        inspector = inspect(connection)
        self._columns = {
            name: {found["name"] for found in inspector.get_columns(name)} for name in inspector.get_table_names()
        }

    def has(self, name: str, of_column: str = "") -> bool:
        """Return whether there is a table, and in it a column if one is named."""
        return name in self._columns and (not of_column or of_column in self._columns[name])

    def require(self, program: str, *places: tuple[str, str]) -> None:
        """Raise SourceUnsupported if a column is missing that all supported releases have, each with its table."""
        for name, of_column in places:
            if not self.has(name, of_column):
                raise SourceUnsupported(program, f"the column {name}.{of_column}")

    def rows(self, name: str, *columns: str) -> list[Row]:
        """Return all rows of a table, with some of its columns; a column that does not exist is None.

        A table that does not exist has no rows.
        """
        if name not in self._columns:
            return []
        known = [each for each in columns if each in self._columns[name]]
        absent = dict.fromkeys(set(columns) - set(known))
        if not known:
            return [absent] * self.count(name)
        wanted: list[ColumnElement[Any]] = [column(each) for each in known]
        statement = select(*wanted).select_from(table(name))
        return [{**absent, **row} for row in self._connection.execute(statement).mappings()]

    def count(self, name: str) -> int:
        """Return the number of rows of a table, 0 if it does not exist."""
        if name not in self._columns:
            return 0
        return self._connection.execute(select(func.count()).select_from(table(name))).scalar_one()


@contextmanager
def opened(address: str) -> Iterator[SourceDatabase]:
    """Open the database of another server for reading.

    Raises:
        SourceUrlInvalid: the URL is not that of a database.
        SourceUnreadable: it cannot be read, with the reason.
    """
    engine = _engine(address)
    try:
        with engine.connect() as connection:
            yield SourceDatabase(connection)
    except SQLAlchemyError as error:
        raise SourceUnreadable(reason_of(error)) from None
    finally:
        engine.dispose()


def _engine(address: str) -> Engine:
    try:
        url = make_url(with_driver(address))
    except (ArgumentError, ValueError):
        raise SourceUrlInvalid from None
    create = _ENGINES.get(url.get_backend_name())
    if create is None or not url.database:
        raise SourceUrlInvalid
    return create(url)


def _postgresql(url: URL) -> Engine:
    # Prisma puts its own parameters into the query, which libpq does not know.
    plain = url.set(query={name: value for name, value in url.query.items() if name == "sslmode"})
    options = {"connect_timeout": _CONNECT_SECONDS, "options": "-c default_transaction_read_only=on"}
    return create_engine(
        plain, poolclass=NullPool, isolation_level="REPEATABLE READ", connect_args=options
    ).execution_options(postgresql_readonly=True)


def _mariadb(url: URL) -> Engine:
    plain = url.set(drivername="mysql+pymysql", query={"charset": "utf8mb4"})
    engine = create_engine(plain, poolclass=NullPool, connect_args={"connect_timeout": _CONNECT_SECONDS})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _entry: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    return engine


def _sqlite(url: URL) -> Engine:
    path = f"file:{url.database}"
    engine = create_engine(url.set(database=path, query={"mode": "ro", "uri": "true"}), poolclass=NullPool)

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _entry: object) -> None:
        connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


_ENGINES: Mapping[str, Callable[[URL], Engine]] = {
    "postgresql": _postgresql,
    "mysql": _mariadb,
    "mariadb": _mariadb,
    "sqlite": _sqlite,
}


def by_key(rows: Sequence[Row], key: str) -> dict[Any, list[Row]]:
    """Return rows by the value of a column."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return found
