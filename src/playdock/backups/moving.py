"""Moving the database from SQLite to PostgreSQL, and back."""

from collections.abc import Mapping
from pathlib import Path

from playdock.backups.errors import DestinationNotEmpty, NothingToMove, SameDatabase
from playdock.db import moving
from playdock.db.database import Database
from playdock.db.migrate import migrate
from playdock.db.moving import Progress
from playdock.domain.search import queries as search_queries

# Of the rebuild of the search index, in one transaction.
_ENTRIES_AT_ONCE = 100


def move(source: Database, target: Database, *, progress: Progress) -> Mapping[str, int]:
    """Copy all rows into an empty database, and return how many each table has. The source is not changed.

    Interrupted, it leaves an empty database with tables, into which it can be started again.

    Raises:
        SameDatabase: both are the same.
        NothingToMove: there is no database to move.
        DestinationNotEmpty: the target has rows.
        DatabaseInUse: other processes use one of them.
        MoveFailed: the target does not take the rows of the source.
    """
    if source.url == target.url:
        raise SameDatabase
    require_database(source)
    migrate(source)
    migrate(target)
    with (
        moving.unused(source, what="database") as reading,
        moving.unused(target, what="target") as writing,
    ):
        if not moving.is_empty(writing):
            raise DestinationNotEmpty("The target")
        counts = moving.copy(reading, writing, progress=progress)
    _rebuild_index(target)
    return counts


def require_database(source: Database) -> None:
    """Check that there is a database, because opening one of SQLite creates it.

    Raises:
        NothingToMove: there is none.
    """
    file = source.url.database or ""
    if source.embedded and not Path(file).exists():
        raise NothingToMove(file)


def _rebuild_index(db: Database) -> None:
    """Write the search index, which differs by the kind of database. If interrupted, the service does it later."""
    after = ""
    while True:
        with db.write() as session:
            game_ids = search_queries.outdated(session, after=after, limit=_ENTRIES_AT_ONCE)
            if not game_ids:
                return
            search_queries.reindex(session, game_ids)
        after = game_ids[-1]
