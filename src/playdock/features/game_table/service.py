"""The table of games, and the status of their folders."""

from collections.abc import Mapping, Sequence

from msgspec import UNSET, Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.found_versions.queries import Place
from playdock.features.game_import.service import GameImports
from playdock.features.game_table import queries, rules
from playdock.features.game_table.queries import TableFilter, TableRow
from playdock.features.game_table.rules import GameState
from playdock.features.game_table.schemas import GameTableQuery
from playdock.kit.cursors import CursorInvalid, CursorPosition
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message
from playdock.stored import version_subject
from playdock.stored_events import StoredMessage


class TablePage(Struct, frozen=True):
    """A page of the table, how many games match, the cursor of the next page, and how many games are in each state."""

    rows: Sequence[TableRow]
    total: int
    next: str | None
    counts: dict[GameState, int]


class FolderStatus(Struct, frozen=True):
    """A game whose folder needs attention; no unimported versions while it is offline."""

    row: TableRow
    offline: bool
    unimported_versions: Sequence[str]
    left_out: Mapping[str, StoredMessage]
    """Why some of them are not imported by a rule, or were not when it was last tried."""


class GameTable(Struct, frozen=True):
    """All games, as administrators list them."""

    db: Database
    game_imports: GameImports

    def page(self, actor: Actor, query: GameTableQuery) -> TablePage:
        """Return a page of the games. Only the database is read.

        Raises:
            InvalidInput: The cursor does not belong to this listing.
        """
        actor.require(Permission.LIBRARY_READ)
        after = _position(query)
        state = None if query.state is UNSET else query.state
        filters = TableFilter(query.q, query.library, query.path, state)
        with self.db.read() as session:
            found = queries.page(session, filters, query.sort, after=after, limit=query.limit + 1)
            total, counts = queries.count(session, filters), queries.counts(session)
        rows = found[: query.limit]
        following = _cursor(query, rows[-1]) if len(found) > query.limit else None
        return TablePage(rows, total, following, counts)

    def folders(self, actor: Actor) -> list[FolderStatus]:
        """Return the games whose folders need attention, by name. Every game's folder is read."""
        actor.require(Permission.LIBRARY_READ)
        found = {
            each.game.id: each.unimported_versions
            for each in self.game_imports.overview(actor).games
            if each.unimported_versions is None or each.unimported_versions
        }
        with self.db.read() as session:
            rows = queries.rows_of(session, list(found))
            reasons = self._reasons(session, rows, found) if actor.may(Permission.IMPORT_VERSION) else {}
        return [
            FolderStatus(row, found[row.game.id] is None, found[row.game.id] or (), reasons.get(row.game.id, {}))
            for row in rows
        ]

    def _reasons(
        self, session: Session, rows: Sequence[TableRow], versions: Mapping[str, Sequence[str] | None]
    ) -> dict[str, dict[str, StoredMessage]]:
        """Return why versions are not imported, by game and name: what the last import says, or the rules."""
        known = found_queries.in_folders(session, {row.game.path for row in rows})
        subjects = {version_subject(game_id, name) for game_id, names in versions.items() for name in names or ()}
        failed = queries.failed_imports(session, subjects)
        reasons: dict[str, dict[str, StoredMessage]] = {}
        for game in (row.game for row in rows):
            for name in versions[game.id] or ():
                left_out = known.get((game.library_id, Place(game.path, name)))
                failure = failed.get(version_subject(game.id, name))
                if failure and (left_out is None or failure.ended >= left_out.changed):
                    reasons.setdefault(game.id, {})[name] = failure.reason
                elif left_out and left_out.reason:
                    reasons.setdefault(game.id, {})[name] = left_out.reason
        return reasons


def _position(query: GameTableQuery) -> CursorPosition | None:
    if not query.after:
        return None
    try:
        return rules.read_cursor(query.after, query.sort)
    except CursorInvalid:
        raise InvalidInput([FieldError("after", Message("other-listing"))]) from None


def _cursor(query: GameTableQuery, last: TableRow) -> str:
    return rules.write_cursor(query.sort, CursorPosition(queries.sorted_value(last, query.sort), last.game.id))
