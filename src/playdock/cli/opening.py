"""Opening the database for a command: what stands in the way is told in a sentence."""

from sqlalchemy.exc import SQLAlchemyError

from playdock.db.database import Database
from playdock.db.migrate import migrate
from playdock.kit.errors import Unavailable


class DatabaseUnusable(Unavailable):
    """The database does not answer, or its folder cannot be written."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The database cannot be used: {reason}. Run `playdock doctor`: it tells what to mend.")


def bring_up_to_date(db: Database) -> None:
    """Bring the database to the newest form.

    Raises:
        DatabaseUnusable: it cannot be reached or written.
    """
    try:
        migrate(db)
    except OSError as error:
        raise DatabaseUnusable(f"{error.filename}: {(error.strerror or str(error)).lower()}") from None
    except SQLAlchemyError as error:
        raise DatabaseUnusable(reason_of(error)) from None


def reason_of(error: Exception) -> str:
    """Give the first line of what the database's driver says."""
    return str(error.__cause__ or error).splitlines()[0].rstrip(".")
