"""Upgrading the database schema, in one of several processes while the others wait."""

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, inspect, select, text
from sqlalchemy.orm import Session

from playdock.db.database import SESSION_LIMITS, Database, prepare_folder
from playdock.db.errors import EncodingUnsuitable, SchemaUnknown
from playdock.kit.clock import utc_now
from playdock.models import SchemaUpgrade

_VERSIONS = Path(__file__).parent / "migrations" / "versions"
# An arbitrary key that every release must share.
_ADVISORY_LOCK = 7_103_201


def migrate(database: Database) -> None:
    """Upgrade the database to the newest schema, if it does not have that yet.

    Several processes wait for each other: with SQLite for the write lock, with PostgreSQL for an advisory lock. A
    SQLite database is copied before.

    Raises:
        SchemaUnknown: a newer release has upgraded the database.
        EncodingUnsuitable: the database is empty, and not stored as UTF-8.
        CopyFailed: the database cannot be copied.
        OlderReleaseRunning: an older release that is running needs what the upgrade removes.
    """
    prepare_folder(database)
    if is_current(database):
        return
    with database.engine.execution_options(writes=True).begin() as connection:
        if not database.embedded:
            # An upgrade may take long, and wait long for that of another process.
            for limit in SESSION_LIMITS:
                connection.execute(text(f"SET LOCAL {limit} = 0"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        if _is_behind(connection):
            from playdock.db import upgrade

            upgrade.require_no_older_release(connection)
            present = current_revision(connection)
            if database.embedded and present is not None:
                upgrade.copy_database(Path(database.url.database or ""), revision=present, at=utc_now())
            upgrade.upgrade(connection)


def is_current(database: Database) -> bool:
    """Return whether the database has the newest schema.

    Raises:
        SchemaUnknown: a newer release has upgraded the database.
        EncodingUnsuitable: it has no schema yet, and is not stored as UTF-8.
    """
    with database.engine.connect() as connection:
        return not _is_behind(connection)


def revisions() -> list[str]:
    """Return the numbers of all schemas, in order. Migrations are files such as ``0001_first_form.py``."""
    return sorted(file.name.partition("_")[0] for file in _VERSIONS.glob("[0-9]*_*.py"))


def schema_of(database: Database) -> str:
    """Return the number of the database's schema, empty if it has none."""
    with database.engine.connect() as connection:
        return current_revision(connection) or ""


def server_time(database: Database) -> datetime:
    """Return the current time of the database server."""
    if database.embedded:
        return datetime.now(UTC)
    with database.engine.connect() as connection:
        now: datetime = connection.execute(text("SELECT now()")).scalar_one()
    return now


def server_version(session: Session) -> str:
    """Return the name and the version of the database, which were read when the first connection was made."""
    dialect = session.get_bind().dialect
    version = ".".join(str(part) for part in getattr(dialect, "server_version_info", None) or ())
    return f"{'SQLite' if dialect.name == 'sqlite' else 'PostgreSQL'} {version}".strip()


def _is_behind(connection: Connection) -> bool:
    current, known = current_revision(connection), revisions()
    if current is None:
        require_utf8(connection)
    if current is not None and current not in known:
        raise SchemaUnknown(current, newest=known[-1], release=_release_of(connection, current))
    return current != known[-1]


def require_utf8(connection: Connection) -> None:
    """Check that a database can store all text.

    Raises:
        EncodingUnsuitable: it cannot.
    """
    if connection.dialect.name == "sqlite":
        return
    encoding: str = connection.execute(text("SHOW server_encoding")).scalar_one()
    if encoding != "UTF8":
        raise EncodingUnsuitable(encoding)


def _release_of(connection: Connection, revision: str) -> str | None:
    """Return the release that upgraded the database to a schema, None if it is not recorded."""
    if not inspect(connection).has_table(SchemaUpgrade.__tablename__):
        return None
    return connection.scalar(select(SchemaUpgrade.release).where(SchemaUpgrade.revision == revision))


def current_revision(connection: Connection) -> str | None:
    """Return the number of the database's schema, None if the database is empty."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision
