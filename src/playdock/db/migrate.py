"""Bringing the database to the present form, by whoever comes first while the others wait."""

from datetime import UTC, datetime
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from playdock.db.database import Database, prepare_folder

_MIGRATIONS = Path(__file__).parent / "migrations"
_ADVISORY_LOCK = 7_103_201


def migrate(database: Database) -> None:
    """Upgrade to the newest form; nothing happens when it has that."""
    prepare_folder(database)
    with database.engine.execution_options(writes=True).begin() as connection:
        if not database.embedded:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        config = _config(connection)
        if _present(connection) != _newest(config):
            command.upgrade(config, "head")


def is_current(database: Database) -> bool:
    with database.engine.connect() as connection:
        return _present(connection) == _newest(_config(connection))


def server_time(database: Database) -> datetime:
    """Give the time as the database has it."""
    if database.embedded:
        return datetime.now(UTC)
    with database.engine.connect() as connection:
        now: datetime = connection.execute(text("SELECT now()")).scalar_one()
    return now


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _present(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _newest(config: Config) -> str | None:
    return ScriptDirectory.from_config(config).get_current_head()
