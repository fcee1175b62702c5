"""Opening the database for a command, with messages for common failures."""

from sqlalchemy.exc import SQLAlchemyError

from playdock.db.errors import DatabaseUnusable
from playdock.db.failures import reason_of
from playdock.db.migrate import migrate
from playdock.settings import Settings
from playdock.web.services import Services

_MODE = 0o700


def bring_up_to_date(services: Services) -> None:
    """Create the data folder and upgrade the database if necessary.

    Raises:
        DatabaseUnusable: the database cannot be reached or written.
        SchemaUnknown: a newer release has upgraded the database.
    """
    try:
        make_data_folder(services.settings)
        migrate(services.db)
    except OSError as error:
        raise _unusable(f"{error.filename}: {(error.strerror or str(error)).lower()}") from None
    except SQLAlchemyError as error:
        raise _unusable(reason_of(error)) from None


def make_data_folder(settings: Settings) -> None:
    """Create the data folder without access for others, since it contains password hashes and email addresses."""
    if settings.needs_data_dir:
        settings.data_dir.mkdir(mode=_MODE, parents=True, exist_ok=True)


def _unusable(reason: str) -> DatabaseUnusable:
    return DatabaseUnusable(f"The database cannot be used: {reason}. Run `playdock doctor` for advice.")
