"""Every statement of the table of games."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Row, Select, exists, func, or_, select, tuple_
from sqlalchemy.orm import Session

from playdock.content.naming import sort_name
from playdock.features.game_table.rules import GameSort, GameState
from playdock.features.version_import.service import IMPORT_VERSION
from playdock.kit.cursors import CursorPosition
from playdock.metadata.game_metadata import Role
from playdock.models import Game, PictureUse, Task, Version
from playdock.stored_events import StoredMessage

# Stays below the limits of bound parameters per statement, which are 32,766 in SQLite and 65,535 in PostgreSQL.
_BATCH_GAMES = 1000


class TableFilter(Struct, frozen=True):
    """Which games are listed; empty matches all."""

    text: str = ""
    library_id: str = ""
    path: str = ""
    state: GameState | None = None


class TableRow(Struct, frozen=True):
    """A game with the number of its versions, their size in the library in bytes, and its cover's id."""

    game: Game
    versions: int
    size: int
    damaged: bool
    cover: str


# Of the game of the row alone: a page needs them for its own rows, not for all games.
_VERSIONS = select(func.count()).where(Version.game_id == Game.id).scalar_subquery()
_SIZE = select(func.coalesce(func.sum(Version.size), 0)).where(Version.game_id == Game.id).scalar_subquery()
_DAMAGED = Game.id.in_(select(Version.game_id).where(Version.damaged.is_not(None)))
_SORTED_BY: Mapping[GameSort, Any] = {
    GameSort.NAME: Game.sort_name,
    GameSort.SIZE: _SIZE,
    GameSort.NEWEST: Game.created,
}
_STATES: Mapping[GameState, ColumnElement[bool]] = {
    GameState.FEATURED: Game.featured.is_(True),
    GameState.DAMAGED: _DAMAGED,
    GameState.NO_VERSIONS: ~exists().where(Version.game_id == Game.id),
}


def page(
    session: Session, filters: TableFilter, sort: GameSort, *, after: CursorPosition | None, limit: int
) -> Sequence[TableRow]:
    """Return the rows after a position, in the order of the sort."""
    column = _SORTED_BY[sort]
    statement = select(Game.id).where(*_conditions(filters))
    if after is not None:
        key = tuple_(column, Game.id)
        position = tuple_(after.value, after.id, types=(column.type, Game.id.type))
        statement = statement.where(key < position if sort.descending else key > position)
    order = [part.desc() if sort.descending else part.asc() for part in (column, Game.id)]
    found = session.scalars(statement.order_by(*order).limit(limit)).all()
    rows = {row.game.id: row for row in _read(session, _rows().where(Game.id.in_(found)))}
    return [rows[game_id] for game_id in found]


def rows_of(session: Session, game_ids: Sequence[str]) -> Sequence[TableRow]:
    """Return the rows of some games, by name."""
    batches = (game_ids[start : start + _BATCH_GAMES] for start in range(0, len(game_ids), _BATCH_GAMES))
    rows = [row for batch in batches for row in _read(session, _rows().where(Game.id.in_(batch)))]
    return sorted(rows, key=lambda row: (row.game.sort_name, row.game.id))


class FailedTask(Struct, frozen=True):
    """When the last import of a version has failed, and why."""

    ended: datetime
    reason: StoredMessage


def failed_imports(session: Session, subjects: Collection[str]) -> dict[str, FailedTask]:
    """Return the last imports of some versions, by subject, if they have failed."""
    columns = (Task.subject, Task.ended, Task.success, Task.cancelled, Task.error_detail, Task.error_code)
    last: dict[str, Row[Any]] = {}
    ordered = sorted(subjects)
    for start in range(0, len(ordered), _BATCH_GAMES):
        here = (Task.subject.in_(ordered[start : start + _BATCH_GAMES]), Task.task_type == IMPORT_VERSION)
        rows = session.execute(select(*columns, Task.error_parameters).where(*here).order_by(Task.created))
        last |= {row.subject: row for row in rows}
    return {
        subject: FailedTask(row.ended, StoredMessage(row.error_detail, row.error_code, row.error_parameters or {}))
        for subject, row in last.items()
        if row.ended is not None and not row.success and not row.cancelled and row.error_detail
    }


def count(session: Session, filters: TableFilter) -> int:
    """Return how many games match."""
    return session.scalars(select(func.count(Game.id)).where(*_conditions(filters))).one()


def counts(session: Session) -> dict[GameState, int]:
    """Return how many games are in each state."""
    states = {state: select(func.count(Game.id)).where(condition) for state, condition in _STATES.items()}
    return {state: session.scalars(statement).one() for state, statement in states.items()}


def sorted_value(row: TableRow, sort: GameSort) -> Any:
    """Return what a row is sorted by."""
    return {GameSort.NAME: row.game.sort_name, GameSort.SIZE: row.size, GameSort.NEWEST: row.game.created}[sort]


def _rows() -> Select[Game, int, int, bool, str]:
    is_cover = (PictureUse.game_id == Game.id) & (PictureUse.role == Role.COVER) & (PictureUse.position == 0)
    return select(Game, _VERSIONS, _SIZE, _DAMAGED, func.coalesce(PictureUse.picture_id, "")).outerjoin(
        PictureUse, is_cover
    )


def _read(session: Session, statement: Select[Game, int, int, bool, str]) -> Sequence[TableRow]:
    # PostgreSQL's sums of large numbers are decimals.
    return [
        TableRow(game, versions, int(size), bool(damaged), cover)
        for game, versions, size, damaged, cover in session.execute(statement)
    ]


def _conditions(filters: TableFilter) -> list[ColumnElement[bool]]:
    """Return the conditions; each word of the text must occur in the name, without regard to case and accents."""
    conditions: list[ColumnElement[bool]] = [
        or_(Game.sort_name.contains(sort_name(word), autoescape=True), Game.name.icontains(word, autoescape=True))
        for word in filters.text.split()
    ]
    if filters.library_id:
        conditions.append(Game.library_id == filters.library_id)
    if filters.path:
        conditions.append(Game.path == filters.path)
    if filters.state is not None:
        conditions.append(_STATES[filters.state])
    return conditions
