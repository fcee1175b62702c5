"""Whether a database can be written, and whether the file of a SQLite database is intact."""

from sqlalchemy import text

from playdock.db.database import Database


def find_corruption(database: Database) -> str:
    """Return the first thing that is wrong with the file of a SQLite database, empty if it is intact.

    PostgreSQL checks its own files.
    """
    if not database.embedded:
        return ""
    with database.engine.connect() as connection:
        found: str = connection.execute(text("PRAGMA quick_check(1)")).scalar_one()
    return "" if found == "ok" else " ".join(found.split())


def require_writable(database: Database) -> None:
    """Begin a transaction that writes, and roll it back.

    Raises:
        SQLAlchemyError: the database cannot be written.
    """
    # What is not committed is undone.
    with database.engine.execution_options(writes=True).connect() as connection:
        connection.execute(text("CREATE TABLE doctor (id INTEGER)"))
