"""Upgrading the database with Alembic. This module is imported only if an upgrade is necessary."""

from datetime import datetime
from pathlib import Path

import structlog
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, insert, text

from playdock import __version__
from playdock.db import copies
from playdock.db.errors import OlderReleaseRunning
from playdock.db.migrate import current_revision, revisions
from playdock.db.running_releases import older_releases
from playdock.kit.clock import utc_now
from playdock.models import SchemaUpgrade

MIGRATIONS = Path(__file__).parent / "migrations"
_log = structlog.get_logger()


def copy_database(file: Path, *, revision: str, at: datetime) -> None:
    """Copy a SQLite database with a schema next to it. The caller has locked it for writing.

    Raises:
        CopyFailed: there is not enough space, or the database cannot be read.
    """
    copy = copies.copy(file, revision=revision, at=at)
    _log.info("the database was copied before its upgrade", copy=str(copy))


def upgrade(connection: Connection) -> None:
    """Upgrade the database to the newest schema, in the open transaction of the connection, and record the release."""
    if connection.dialect.name == "postgresql":
        # PostgreSQL cannot alter a table with pending events of deferred triggers (docs/decisions/0022).
        connection.execute(text("SET CONSTRAINTS ALL IMMEDIATE"))
    present = current_revision(connection)
    pending = [revision for revision in revisions() if present is None or revision > present]
    if present is None:
        command.upgrade(config(connection), "head")
    else:
        _upgrade_step_by_step(connection, pending)
    if pending:
        row = {"revision": pending[-1], "release": __version__, "at": utc_now()}
        connection.execute(insert(SchemaUpgrade).values(row))


def contracts(scripts: ScriptDirectory, revision: str) -> bool:
    """Return whether a migration removes something that the release before it uses."""
    return bool(getattr(scripts.get_revision(revision).module, "contracts", False))


def require_no_older_release(connection: Connection) -> None:
    """Ensure that no older release is running that needs what the upgrade removes.

    Raises:
        OlderReleaseRunning: one is.
    """
    present = current_revision(connection)
    if present is None:
        return
    scripts = ScriptDirectory.from_config(config(connection))
    if not any(contracts(scripts, revision) for revision in revisions() if revision > present):
        return
    if running := older_releases(connection, __version__):
        # A node may have several processes.
        names = dict.fromkeys(f"{each.node} ({each.release})" for each in running)
        raise OlderReleaseRunning(", ".join(names))


def _upgrade_step_by_step(connection: Connection, pending: list[str]) -> None:
    """Run migrations, and log what each does before it starts, because one may take minutes."""
    scripts = ScriptDirectory.from_config(config(connection))
    for number, revision in enumerate(pending, start=1):
        purpose = scripts.get_revision(revision).doc.partition("\n")[0]
        _log.info("upgrading the database", step=f"{number} of {len(pending)}", schema=revision, purpose=purpose)
        command.upgrade(config(connection), revision)
    if pending:
        _log.info("the database has been upgraded", schema=pending[-1])


def config(connection: Connection) -> Config:
    """Return Alembic's configuration for one connection."""
    result = Config()
    result.set_main_option("script_location", str(MIGRATIONS))
    result.set_main_option("path_separator", "os")
    result.attributes["connection"] = connection
    return result
