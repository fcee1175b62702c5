"""Upgrading the database schema, in one of several processes while the others wait."""

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from playdock.db.database import Database, prepare_folder
from playdock.db.errors import SchemaUnknown

_VERSIONS = Path(__file__).parent / "migrations" / "versions"
# An arbitrary key that every release must share.
_ADVISORY_LOCK = 7_103_201


def migrate(database: Database) -> None:
    """Upgrade the database to the newest schema, if it does not have that yet.

    Several processes wait for each other: with SQLite for the write lock, with PostgreSQL for an advisory lock.

    Raises:
        SchemaUnknown: a newer release has upgraded the database.
    """
    prepare_folder(database)
    if is_current(database):
        return
    with database.engine.execution_options(writes=True).begin() as connection:
        if not database.embedded:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        if _is_behind(connection):
            from playdock.db import upgrade

            upgrade.upgrade(connection)


def is_current(database: Database) -> bool:
    """Return whether the database has the newest schema.

    Raises:
        SchemaUnknown: a newer release has upgraded the database.
    """
    with database.engine.connect() as connection:
        return not _is_behind(connection)


def revisions() -> list[str]:
    """Return the numbers of all schemas, in order. Migrations are files such as ``0001_first_form.py``."""
    return sorted(file.name.partition("_")[0] for file in _VERSIONS.glob("[0-9]*_*.py"))


def server_time(database: Database) -> datetime:
    """Return the current time of the database server."""
    if database.embedded:
        return datetime.now(UTC)
    with database.engine.connect() as connection:
        now: datetime = connection.execute(text("SELECT now()")).scalar_one()
    return now


def _is_behind(connection: Connection) -> bool:
    current, known = _current_revision(connection), revisions()
    if current is not None and current not in known:
        raise SchemaUnknown(current, newest=known[-1])
    return current != known[-1]


def _current_revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision
