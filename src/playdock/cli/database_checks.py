"""The checks of `doctor` for the database, with advice for each kind of failure."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from playdock.cli.finding import DoctorFinding
from playdock.db.database import Database
from playdock.db.errors import EncodingUnsuitable, SchemaUnknown
from playdock.db.failures import DatabaseFault, fault_of, reason_of
from playdock.db.integrity import find_corruption, require_writable
from playdock.db.migrate import is_current

_RESTORE = (
    "Stop the service, keep this file, and restore a backup, or a copy from before an upgrade that is next to it."
)
_PERMISSIONS = (
    "Give the user of the service write access to the file and its folder, and check that the disk is not mounted "
    "read-only."
)
_SQLITE_ADVICE: Mapping[int, str] = {
    sqlite3.SQLITE_CANTOPEN: _PERMISSIONS,
    sqlite3.SQLITE_PERM: _PERMISSIONS,
    sqlite3.SQLITE_READONLY: _PERMISSIONS,
    sqlite3.SQLITE_CORRUPT: _RESTORE,
    sqlite3.SQLITE_NOTADB: _RESTORE,
    sqlite3.SQLITE_FULL: "Free some space on the disk.",
    sqlite3.SQLITE_IOERR: "Check the disk and the system's log.",
    sqlite3.SQLITE_BUSY: "Another program has locked it. Close programs that use the file, such as a database tool.",
}
_PRIMARY_CODE = 0xFF
# What PostgreSQL's messages contain, and what to do.
_POSTGRESQL_ADVICE: Mapping[str, str] = {
    "authentication failed": "Check the user and the password in DATABASE_URL.",
    "no password supplied": "Check the password in DATABASE_URL.",
    "pg_hba.conf": "Allow connections from this machine in the server's pg_hba.conf.",
    "does not exist": "Create the database and its user, or correct their names in DATABASE_URL.",
    "starting up": "Wait until the server has started.",
}


def check_database(db: Database) -> DoctorFinding:
    """Check that the database can be read and written, and has the schema of this release."""
    subject = f"Database {db.url.render_as_string(hide_password=True)}"
    try:
        current = is_current(db)
        corruption = find_corruption(db)
        require_writable(db)
    except (SchemaUnknown, EncodingUnsuitable) as error:
        return DoctorFinding(subject, error.detail)
    except (SQLAlchemyError, OSError) as error:
        return DoctorFinding(subject, f"It cannot be used: {reason_of(error)}.", _advice(db, error))
    if corruption:
        return DoctorFinding(subject, f"The file is damaged: {corruption}.", _RESTORE)
    if not current:
        return DoctorFinding(
            subject, "It does not have the schema of this release.", "Start `playdock serve` once to upgrade it."
        )
    return DoctorFinding(subject)


def _advice(db: Database, error: Exception) -> str:
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY_CODE
        if code == sqlite3.SQLITE_CANTOPEN and not Path(db.url.database or "").exists():
            return "Start `playdock serve` once to create it, and check that DATABASE_URL or DATA_DIR is right."
        return _SQLITE_ADVICE.get(code, "Check DATABASE_URL.")
    if fault_of(error) is DatabaseFault.FULL:
        return "Free some space on the disk of the server."
    found = (advice for words, advice in _POSTGRESQL_ADVICE.items() if words in str(error))
    return next(found, "Check DATABASE_URL, and that the server is running.")
