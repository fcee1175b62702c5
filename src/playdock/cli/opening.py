"""Opening the database for a command, with messages for common failures."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

import structlog
from sqlalchemy.exc import SQLAlchemyError

from playdock.backups.marker import require_restored
from playdock.configuration import Configuration
from playdock.db.database import Database
from playdock.db.errors import DatabaseUnusable
from playdock.db.failures import DatabaseFault, fault_of, is_permanent, reason_of
from playdock.db.migrate import migrate
from playdock.domain.server_settings.service import ServerSettings
from playdock.kit.errors import Unavailable
from playdock.settings import Settings

_log = structlog.get_logger()
_Result = TypeVar("_Result")

_MODE = 0o700
# A server that is starting refuses connections at once.
_RETRY_SECONDS = 0.5


class DataFolderUnusable(Unavailable):
    """The data folder cannot be created."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The data folder cannot be created: {reason}. Set DATA_DIR to a writable folder.")


def open_settings(configuration: Configuration) -> ServerSettings:
    """Open the database, upgrade it if necessary, and return the settings with those that it contains.

    Raises:
        DataFolderUnusable, DatabaseUnusable, SchemaUnknown, EncodingUnsuitable, CopyFailed, RestoreInterrupted: as
            `bring_up_to_date`.
    """
    settings = configuration.settings
    opened = ServerSettings(Database(settings.database), configuration)
    with ExitStack() as on_failure:
        on_failure.callback(opened.db.close)
        wait_for_database(opened.db, seconds=settings.database_wait_seconds)
        bring_up_to_date(opened.db, settings)
        opened.load()
        on_failure.pop_all()
    return opened


def bring_up_to_date(db: Database, settings: Settings) -> None:
    """Create the data folder and upgrade the database if necessary.

    Raises:
        DataFolderUnusable: the data folder cannot be created.
        DatabaseUnusable: the database cannot be reached or written.
        SchemaUnknown: a newer release has upgraded the database.
        EncodingUnsuitable: the database is empty, and not stored as UTF-8.
        CopyFailed: the database cannot be copied before its upgrade.
        RestoreInterrupted: a backup was not completely restored.
    """
    try:
        require_restored(settings.data_dir, db)
    except SQLAlchemyError as error:
        raise unusable(cause_of(error)) from None
    try:
        make_data_folder(settings)
    except OSError as error:
        raise DataFolderUnusable(_reason(error)) from None
    try:
        migrate(db)
    except OSError as error:
        raise unusable(_reason(error)) from None
    except SQLAlchemyError as error:
        raise unusable(cause_of(error)) from None


def wait_for_database(db: Database, *, seconds: float) -> None:
    """Wait for a PostgreSQL server that is starting, as it is when the machine has just started.

    Raises:
        DatabaseUnusable: it did not accept a connection in time, or refuses this user.
    """
    deadline = time.monotonic() + seconds
    announced = False
    while not db.embedded:
        try:
            with db.engine.connect():
                return
        except SQLAlchemyError as error:
            if is_permanent(error) or time.monotonic() >= deadline:
                raise unusable(cause_of(error)) from None
            if not announced:
                _log.warning("waiting for the database", reason=reason_of(error), max_seconds=seconds)
            announced = True
        time.sleep(_RETRY_SECONDS)


def repeated_while_lost(start: Callable[[], _Result], settings: Settings) -> _Result:
    """Call a function that starts a process; again if it loses a PostgreSQL server, as when that crashes.

    Raises what the function raises if that has another reason, or `database_wait_seconds` are over.
    """
    deadline = time.monotonic() + settings.database_wait_seconds
    while True:
        try:
            return start()
        except Exception as error:
            if settings.database.startswith("sqlite") or not _is_lost(error) or time.monotonic() >= deadline:
                raise
            _log.warning("the database was lost at the start, which is repeated", reason=reason_of(error))
        time.sleep(_RETRY_SECONDS)


def _is_lost(error: Exception) -> bool:
    """Return whether an error, or the one that it reports, says that the server of a database is not there now."""
    cause = error.__context__ if isinstance(error, DatabaseUnusable) else error
    if not isinstance(cause, SQLAlchemyError):
        return False
    return fault_of(cause) is DatabaseFault.UNAVAILABLE and not is_permanent(cause)


def make_data_folder(settings: Settings) -> None:
    """Create the data folder without access for others: it contains password hashes, email addresses and networks."""
    settings.data_dir.mkdir(mode=_MODE, parents=True, exist_ok=True)


def _reason(error: OSError) -> str:
    return f"{error.filename}: {(error.strerror or str(error)).lower()}"


def cause_of(error: SQLAlchemyError) -> str:
    """Return why a database cannot be used, as the end of a sentence."""
    return "it is read-only" if fault_of(error) is DatabaseFault.READ_ONLY else reason_of(error)


def unusable(reason: str) -> DatabaseUnusable:
    return DatabaseUnusable(f"The database cannot be used: {reason}. Run `playdock doctor` for advice.")
