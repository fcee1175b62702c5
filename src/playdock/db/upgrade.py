"""Upgrading the database with Alembic. This module is imported only if an upgrade is necessary."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(connection: Connection) -> None:
    """Upgrade the database to the newest schema, in the open transaction of the connection."""
    if connection.dialect.name == "postgresql":
        # PostgreSQL cannot alter a table with pending events of deferred triggers (docs/decisions/0022).
        connection.execute(text("SET CONSTRAINTS ALL IMMEDIATE"))
    command.upgrade(config(connection), "head")


def config(connection: Connection) -> Config:
    """Return Alembic's configuration for one connection."""
    result = Config()
    result.set_main_option("script_location", str(MIGRATIONS))
    result.set_main_option("path_separator", "os")
    result.attributes["connection"] = connection
    return result
