"""Every statement on the plan."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from playdock.models import PlanRow

_PIECE = 500


@dataclass(frozen=True, slots=True)
class Planned:
    """When a folder's row was computed, and the remark that makes it worth another try."""

    computed: datetime
    remark: str

    def holds(self, *, since: datetime, fresh: bool) -> bool:
        """Tell whether the row needs no new look by a task that began at a moment."""
        return self.computed >= since or not (fresh or self.remark)


def rows(session: Session, *, certain: bool | None, offset: int, limit: int) -> Sequence[PlanRow]:
    """Give rows of the plan, the surest first."""
    statement = select(PlanRow).order_by(PlanRow.confidence.desc(), PlanRow.path, PlanRow.id)
    if certain is not None:
        statement = statement.where(PlanRow.certain.is_(certain))
    return session.scalars(statement.offset(offset).limit(limit)).all()


def counts(session: Session) -> tuple[int, int]:
    """Give how many rows are certain, and how many are not."""
    found = {row.certain: row.n for row in session.execute(_count_by(PlanRow.certain))}
    return found.get(True, 0), found.get(False, 0)


def _count_by(column: Any) -> Any:
    return select(column.label("certain"), func.count().label("n")).group_by(column)


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
