"""Building databases of any kind from tables and rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import MetaData, create_engine, insert, text

from playdock.kit.database_urls import with_driver

Rows = Mapping[str, Sequence[Mapping[str, Any]]]


def build(address: str, tables: MetaData, rows: Rows) -> None:
    """Create tables, and insert rows in the order of the tables."""
    engine = create_engine(with_driver(address))
    with engine.begin() as connection:
        tables.create_all(connection)
        for name, each in rows.items():
            for row in each:
                connection.execute(insert(tables.tables[name]), row)
    engine.dispose()


def run(address: str, *statements: str) -> None:
    """Change a database as another release does."""
    engine = create_engine(with_driver(address))
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()
