"""A table in PostgreSQL that exists while a backup is being restored into the database.

All nodes see it, also if the data folder of the command is that of a container that no longer exists.
"""

from sqlalchemy import Column, MetaData, Table, Text, insert, inspect, select
from sqlalchemy.exc import IntegrityError, ProgrammingError

from playdock.db.database import Database

TABLE = "restore_unfinished"
# Not one of the models, and in no schema.
_MARK = Table(TABLE, MetaData(), Column("backup", Text, nullable=False))


def marked(db: Database) -> str | None:
    """Return the name of the backup that is being restored, if one is."""
    with db.engine.connect() as connection:
        return connection.scalar(select(_MARK.c.backup)) if inspect(connection).has_table(TABLE) else None


def mark(db: Database, name: str) -> bool:
    """Make the mark. Return False if another process has made one."""
    try:
        with db.engine.begin() as connection:
            _MARK.create(connection)
            connection.execute(insert(_MARK).values(backup=name))
    except (ProgrammingError, IntegrityError):
        # PostgreSQL reports a table that exists in either way, and the former is also a missing permission.
        if marked(db) is None:
            raise
        return False
    return True


def unmark(db: Database) -> None:
    with db.engine.begin() as connection:
        _MARK.drop(connection)
