"""Every statement on runs."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from playdock.features.import_plan import queries as plan_queries
from playdock.models import ImportRun, PlanRow, RunRow, Task

_PIECE = 500


def chosen(
    session: Session, ids: Collection[str], *, certain: bool, at_least: float | None
) -> tuple[dict[str, PlanRow], list[PlanRow]]:
    """Give the rows with these ids, and the others that are sure enough."""
    wanted = list(ids)
    named: dict[str, PlanRow] = {}
    for start in range(0, len(wanted), _PIECE):
        piece = select(PlanRow).where(PlanRow.id.in_(wanted[start : start + _PIECE]))
        named |= {row.id: row for row in session.scalars(piece)}
    sure = _sure_enough(certain=certain, at_least=at_least)
    others: Iterable[PlanRow] = ()
    if sure is not None:
        others = session.scalars(select(PlanRow).where(sure, ~_awaited()).order_by(PlanRow.path))
    return named, [row for row in others if row.id not in named]


def _awaited() -> ColumnElement[bool]:
    """Tell whether a run that goes on will come to a row's folder."""
    going_on = select(RunRow.id).join(ImportRun, ImportRun.id == RunRow.run_id).join(Task, Task.id == ImportRun.task_id)
    here = (RunRow.library_id == PlanRow.library_id) & (RunRow.path == PlanRow.path)
    return going_on.where(here, RunRow.done.is_(None), Task.ended.is_(None)).exists()


def _sure_enough(*, certain: bool, at_least: float | None) -> ColumnElement[bool] | None:
    enough = None if at_least is None else PlanRow.confidence >= at_least
    if not certain:
        return enough
    return plan_queries.sure() if enough is None else enough | plan_queries.sure()


def add_run(session: Session, run: ImportRun, run_rows: Iterable[RunRow]) -> None:
    session.add(run)
    session.flush()
    session.add_all(run_rows)
    session.flush()


def name_task(session: Session, run_id: str, task_id: str) -> None:
    session.execute(update(ImportRun).where(ImportRun.id == run_id).values(task_id=task_id))


def find_run(session: Session, run_id: str) -> ImportRun | None:
    return session.get(ImportRun, run_id)


def hold_run(session: Session, run_id: str) -> ImportRun | None:
    """Find a run, and let nobody take it back or import for it until this transaction ends."""
    return session.scalar(select(ImportRun).where(ImportRun.id == run_id).with_for_update())


def take_back(session: Session, run_id: str, *, at: datetime) -> None:
    session.execute(update(ImportRun).where(ImportRun.id == run_id).values(taken_back=at))


def rows_of_run(session: Session, run_id: str) -> Sequence[RunRow]:
    return session.scalars(select(RunRow).where(RunRow.run_id == run_id).order_by(RunRow.position)).all()


def set_row(session: Session, row_id: int, values: dict[str, Any]) -> None:
    session.execute(update(RunRow).where(RunRow.id == row_id).values(values))


@dataclass(frozen=True, slots=True)
class Tally:
    """How many folders a run has, and what became of them."""

    total: int
    imported: int
    failed: int


def runs(session: Session, *, most: int) -> list[tuple[ImportRun, Tally]]:
    """Give the newest runs."""
    newest = session.scalars(select(ImportRun).order_by(ImportRun.created.desc()).limit(most)).all()
    tallies = {row.run_id: Tally(row.total, row.imported, row.failed) for row in session.execute(_tallies(newest))}
    return [(run, tallies.get(run.id, Tally(0, 0, 0))) for run in newest]


def _tallies(found: Sequence[ImportRun]) -> Any:
    return (
        select(
            RunRow.run_id,
            func.count().label("total"),
            func.count(RunRow.game_id).label("imported"),
            func.count(RunRow.fault).label("failed"),
        )
        .where(RunRow.run_id.in_([run.id for run in found]))
        .group_by(RunRow.run_id)
    )
