"""Upgrading the database step by step, by Alembic. Loaded only when there is something to upgrade."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(connection: Connection) -> None:
    """Bring the database to the newest form, inside the transaction that the connection has open."""
    command.upgrade(config(connection), "head")


def config(connection: Connection) -> Config:
    """Make Alembic's configuration for one connection."""
    made = Config()
    made.set_main_option("script_location", str(MIGRATIONS))
    made.set_main_option("path_separator", "os")
    made.attributes["connection"] = connection
    return made
