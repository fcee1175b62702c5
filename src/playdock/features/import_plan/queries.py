"""Every statement on the plan."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from msgspec import UNSET, UnsetType
from sqlalchemy import ColumnElement, and_, delete, exists, func, select, true
from sqlalchemy.orm import Session, aliased

from playdock.models import Game, PlanRow

_PIECE = 500


@dataclass(frozen=True, slots=True)
class Planned:
    """When a folder's row was computed, and the remark that makes it worth another try."""

    computed: datetime
    remark: str

    def holds(self, *, since: datetime, fresh: bool) -> bool:
        """Tell whether the row needs no new look by a task that began at a moment."""
        return self.computed >= since or not (fresh or self.remark)


def rows(
    session: Session, *, library: str | UnsetType, certain: bool | UnsetType, offset: int, limit: int
) -> Sequence[PlanRow]:
    """Give rows of the plan, the surest first."""
    statement = select(PlanRow).where(_of_library(library))
    if certain is not UNSET:
        statement = statement.where(sure() if certain else ~sure())
    ordered = statement.order_by(PlanRow.confidence.desc(), PlanRow.path, PlanRow.id)
    return session.scalars(ordered.offset(offset).limit(limit)).all()


def counts(session: Session, *, library: str | UnsetType) -> tuple[int, int]:
    """Give how many rows are certain, and how many are not: of a library, or of all."""
    counting = select(func.count()).select_from(PlanRow).where(_of_library(library))
    everything, certain = session.scalar(counting) or 0, session.scalar(counting.where(sure())) or 0
    return certain, everything - certain


def _of_library(library: str | UnsetType) -> ColumnElement[bool]:
    return true() if library is UNSET else PlanRow.library_id == library


def sure() -> ColumnElement[bool]:
    """Tell of a row whether it can be imported without a second look.

    Its clues agree, no other folder is certain to be the same game, and that game has not been imported.
    """
    other, game = aliased(PlanRow), aliased(Game)
    return and_(PlanRow.certain, ~exists().where(_claims_the_same(other)), ~exists().where(_is_its_game(game)))


def rivals(session: Session, found: Iterable[PlanRow]) -> dict[str, str]:
    """Give, by id, those of some rows whose game another folder is certain to be as well, each with one such folder."""
    other = aliased(PlanRow)
    statement = select(PlanRow.id, func.min(other.path).label("path")).join(other, _claims_the_same(other))
    return _by_id(session, statement.where(PlanRow.certain), found)


def imported(session: Session, found: Iterable[PlanRow]) -> dict[str, str]:
    """Give, by id, those of some rows whose likeliest game has been imported, each with the folder it came from."""
    game = aliased(Game)
    statement = select(PlanRow.id, func.min(game.path).label("path")).join(game, _is_its_game(game))
    return _by_id(session, statement, found)


def _by_id(session: Session, statement: Any, found: Iterable[PlanRow]) -> dict[str, str]:
    among = statement.where(PlanRow.id.in_([row.id for row in found])).group_by(PlanRow.id)
    return {row.id: row.path for row in session.execute(among)}


def _claims_the_same(other: type[PlanRow]) -> ColumnElement[bool]:
    same = and_(other.source_id == PlanRow.source_id, other.metadata_id == PlanRow.metadata_id)
    return and_(other.certain, same, other.id != PlanRow.id)


def _is_its_game(game: type[Game]) -> ColumnElement[bool]:
    return and_(game.metadata_source == PlanRow.source_id, game.metadata_id == PlanRow.metadata_id)


def planned(session: Session, library_id: str) -> dict[str, Planned]:
    """Give what the plan has of a library, by folder."""
    statement = select(PlanRow.path, PlanRow.computed, PlanRow.remark).where(PlanRow.library_id == library_id)
    return {row.path: Planned(row.computed, row.remark) for row in session.execute(statement)}


def put_row(session: Session, row: PlanRow) -> None:
    """Put a row into the plan, in the place of an older one for the folder."""
    forget_rows(session, row.library_id, [row.path])
    session.add(row)
    session.flush()


def forget_rows(session: Session, library_id: str, paths: Iterable[str]) -> None:
    gone = list(paths)
    for start in range(0, len(gone), _PIECE):
        piece = gone[start : start + _PIECE]
        session.execute(delete(PlanRow).where(PlanRow.library_id == library_id, PlanRow.path.in_(piece)))
