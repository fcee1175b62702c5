"""Bringing the database to the present form, by whoever comes first while the others wait.

Alembic takes longer to load than all of the rest takes to start, and is hardly ever needed: it is loaded when the
database turns out to be behind.
"""

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from playdock.db.database import Database, prepare_folder
from playdock.kit.late import late

_VERSIONS = Path(__file__).parent / "migrations" / "versions"
_ADVISORY_LOCK = 7_103_201


def migrate(database: Database) -> None:
    """Upgrade to the newest form; nothing happens when it has that."""
    prepare_folder(database)
    if is_current(database):
        return
    with database.engine.execution_options(writes=True).begin() as connection:
        if not database.embedded:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        if _present(connection) != newest():
            late("playdock.db.upgrade").upgrade(connection)


def is_current(database: Database) -> bool:
    with database.engine.connect() as connection:
        return _present(connection) == newest()


def newest() -> str:
    """Give the newest form's number: migrations are files such as ``0001_first_form.py``."""
    return max(file.name.partition("_")[0] for file in _VERSIONS.glob("[0-9]*_*.py"))


def server_time(database: Database) -> datetime:
    """Give the time as the database has it."""
    if database.embedded:
        return datetime.now(UTC)
    with database.engine.connect() as connection:
        now: datetime = connection.execute(text("SELECT now()")).scalar_one()
    return now


def _present(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found
