"""All statements on the plan and on import runs."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct, UnsetType, json
from sqlalchemy import ColumnElement, Row, Select, and_, delete, exists, func, select, true, update
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from playdock.content.naming import sort_name
from playdock.db.locks import LockLevel, record_lock
from playdock.features.bulk_import.rules import KnownGame, PlanSort
from playdock.metadata.providers import MANUAL
from playdock.models import Game, ImportRun, Library, PlanRow, RunRow, Task

# SQLite allowed 999 parameters per statement before version 3.32.
_MAX_PARAMETERS = 500
# Of a run in a list.
_NAMED_FOLDERS = 3


class PlannedFolder(Struct, frozen=True):
    """When a folder's row was computed, its remark, and the provider's game that it is, if that is certain.

    A row with a remark is computed again.
    """

    computed: datetime
    remark: str
    game: tuple[str, str] | None

    def is_current(self, *, since: datetime, fresh: bool) -> bool:
        """Return whether a task that was created at ``since`` can keep the row."""
        return self.computed >= since or not (fresh or self.remark)


def rows(
    session: Session,
    *,
    library: str | UnsetType,
    certain: bool | UnsetType,
    text: str,
    sort: PlanSort,
    offset: int,
    limit: int,
) -> Sequence[PlanRow]:
    """Return rows of the plan in an order."""
    statement = select(PlanRow).where(_of_library(library), _contains(text))
    if certain is not UNSET:
        statement = statement.where(sure() if certain else ~sure())
    by_folder = (func.lower(PlanRow.path), PlanRow.path, PlanRow.id)
    surest_first = (PlanRow.confidence.desc(), PlanRow.path, PlanRow.id)
    ordered = statement.order_by(*(by_folder if sort is PlanSort.FOLDER else surest_first))
    return session.scalars(ordered.offset(offset).limit(limit)).all()


def counts(session: Session, *, library: str | UnsetType, text: str) -> tuple[int, int]:
    """Return the number of rows with a text that are certain and the number of others, of one library or of all."""
    counting = select(func.count()).select_from(PlanRow).where(_of_library(library), _contains(text))
    total, certain = session.scalar(counting) or 0, session.scalar(counting.where(sure())) or 0
    return certain, total - certain


def _of_library(library: str | UnsetType) -> ColumnElement[bool]:
    return true() if library is UNSET else PlanRow.library_id == library


def _contains(text: str) -> ColumnElement[bool]:
    wanted = text.strip().lower()
    if not wanted:
        return true()
    return func.lower(PlanRow.path).contains(wanted, autoescape=True) | func.lower(PlanRow.title).contains(
        wanted, autoescape=True
    )


def sure() -> ColumnElement[bool]:
    """Return the condition that a row can be imported without review.

    Its clues agree, it has a version that can be imported, no other folder is certain to be the same game, and that
    game was not imported before, also not without metadata under the same name.
    """
    other, game = aliased(PlanRow), aliased(Game)
    without_metadata = select(func.lower(Game.name)).where(Game.metadata_source == MANUAL)
    return and_(
        PlanRow.certain,
        ~exists().where(_claims_the_same(other)),
        ~exists().where(_is_its_game(game)),
        func.lower(PlanRow.title).not_in(without_metadata),
    )


def rivals(session: Session, found: Iterable[PlanRow]) -> dict[str, str]:
    """Return those rows whose game is also certain for another folder: that folder by row id."""
    other = aliased(PlanRow)
    statement = select(PlanRow.id, func.min(other.path).label("path")).join(other, _claims_the_same(other))
    return _by_id(session, statement.where(PlanRow.certain), found)


def imported(session: Session, found: Iterable[PlanRow]) -> dict[str, KnownGame]:
    """Return those rows whose most likely game was imported before: that game by row id."""
    row, ids = aliased(PlanRow), [each.id for each in found]
    is_its_game = (Game.metadata_source == row.source_id) & (Game.metadata_id == row.metadata_id)
    statement = _known_games(row.id.label("row")).join(row, is_its_game).where(row.id.in_(ids))
    return {each.row: _known_game(each) for each in session.execute(statement)}


def same_named(session: Session, found: Iterable[PlanRow]) -> dict[str, KnownGame]:
    """Return those rows whose game is not known to differ from one of the same name in the store: that one by row id.

    Of games with metadata, and folders for which some was found, it is known.
    """
    rows_found = list(found)
    games: dict[str, list[KnownGame]] = {}
    for batch in _batches({name for row in rows_found for name in _names_of(row)}):
        statement = _known_games(Game.sort_name).where(Game.sort_name.in_(batch))
        for each in session.execute(statement.order_by(Game.created, Game.id)):
            games.setdefault(each.sort_name, []).append(_known_game(each))
    same = {
        row.id: [
            game for name in _names_of(row) for game in games.get(name, ()) if not (row.source_id and game.has_metadata)
        ]
        for row in rows_found
    }
    return {row_id: others[0] for row_id, others in same.items() if others}


def _known_games(*others: ColumnElement[Any] | InstrumentedAttribute[Any]) -> Select[Any]:
    columns = (Game.id, Game.library_id, Game.name, Game.path, Game.metadata_source, Game.layout, Library.backend)
    games = select(*columns, Library.name.label("library"), *others)
    return games.select_from(Game).join(Library, Library.id == Game.library_id)


def _known_game(row: Row[Any]) -> KnownGame:
    return KnownGame(
        id=row.id,
        name=row.name,
        library_id=row.library_id,
        library=row.library,
        path=row.path,
        has_metadata=row.metadata_source != MANUAL,
        layout=row.layout or row.backend,
    )


def with_new_names(session: Session, found: Sequence[PlanRow]) -> list[PlanRow]:
    """Return the rows without those that may be games of the store, or of another one of them.

    A person has to decide about these.
    """
    known = same_named(session, found)
    taken: set[str] = set()
    left = []
    for row in found:
        names = _names_of(row)
        if row.id not in known and (row.source_id or not names & taken):
            left.append(row)
            taken |= names
    return left


def _names_of(row: PlanRow) -> set[str]:
    """Return the names under which a row may be imported: that of its folder, and that of its first candidate."""
    candidates = [candidate["name"] for candidate in row.candidates[:1]]
    return {sort_name(name) for name in (row.title, *candidates)}


def _by_id(session: Session, statement: Any, found: Iterable[PlanRow]) -> dict[str, str]:
    among = statement.where(PlanRow.id.in_([row.id for row in found])).group_by(PlanRow.id)
    return {row.id: row.path for row in session.execute(among)}


def _claims_the_same(other: type[PlanRow]) -> ColumnElement[bool]:
    same = and_(other.source_id == PlanRow.source_id, other.metadata_id == PlanRow.metadata_id)
    return and_(other.certain, same, other.id != PlanRow.id)


def _is_its_game(game: type[Game]) -> ColumnElement[bool]:
    return and_(game.metadata_source == PlanRow.source_id, game.metadata_id == PlanRow.metadata_id)


def planned(session: Session, library_id: str) -> dict[str, PlannedFolder]:
    """Return the rows of a library by folder."""
    columns = (PlanRow.path, PlanRow.computed, PlanRow.remark, PlanRow.certain, PlanRow.source_id, PlanRow.metadata_id)
    rows_found = session.execute(select(*columns).where(PlanRow.library_id == library_id))
    return {
        row.path: PlannedFolder(
            row.computed, row.remark, (row.source_id, row.metadata_id) if row.certain and row.source_id else None
        )
        for row in rows_found
    }


def any_unanswered(session: Session) -> bool:
    """Return whether a provider could not be asked about some folders."""
    return session.scalar(select(PlanRow.id).where(PlanRow.remark != "").limit(1)) is not None


def proposals(session: Session, library_id: str) -> dict[str, list[dict[str, Any]]]:
    """Return how the versions of each folder of a library could be imported."""
    statement = select(PlanRow.path, PlanRow.versions).where(PlanRow.library_id == library_id)
    return {row.path: row.versions for row in session.execute(statement)}


def put_row(session: Session, row: PlanRow) -> None:
    """Add a row to the plan, replacing an older one for the folder.

    If it proposes the same, it keeps its id, by which pages know it. Otherwise, what somebody has selected is refused.
    """
    statement = select(PlanRow.id, PlanRow.candidates, PlanRow.versions)
    here = statement.where(PlanRow.library_id == row.library_id, PlanRow.path == row.path)
    older = session.execute(here).first()
    if older is not None and [older.candidates, older.versions] == _as_json([row.candidates, row.versions]):
        row.id = older.id
    delete_rows(session, row.library_id, [row.path])
    session.add(row)
    session.flush()


def delete_rows_of(session: Session, library_id: str) -> None:
    """Delete all rows of a library."""
    session.execute(delete(PlanRow).where(PlanRow.library_id == library_id))


def delete_rows(session: Session, library_id: str, paths: Iterable[str]) -> None:
    for batch in _batches(paths):
        session.execute(delete(PlanRow).where(PlanRow.library_id == library_id, PlanRow.path.in_(batch)))


def chosen(
    session: Session, ids: Collection[str], *, certain: bool, at_least: float | None
) -> tuple[dict[str, PlanRow], list[PlanRow]]:
    """Return the rows with the given ids by id, and all others that are certain or confident enough."""
    requested = list(ids)
    named: dict[str, PlanRow] = {}
    for start in range(0, len(requested), _MAX_PARAMETERS):
        batch = requested[start : start + _MAX_PARAMETERS]
        found = session.scalars(select(PlanRow).where(PlanRow.id.in_(batch)))
        named |= {row.id: row for row in found}
    confident = _is_confident(certain=certain, at_least=at_least)
    others: Iterable[PlanRow] = ()
    if confident is not None:
        others = session.scalars(select(PlanRow).where(confident, ~_is_pending()).order_by(PlanRow.path))
    return named, [row for row in others if row.id not in named]


def sure_rows(session: Session, library_id: str, paths: Collection[str]) -> list[PlanRow]:
    """Return the rows of folders that can be imported without review and that no active run imports."""
    found: list[PlanRow] = []
    for batch in _batches(paths):
        rows_of_batch = select(PlanRow).where(PlanRow.library_id == library_id, PlanRow.path.in_(batch))
        found += session.scalars(rows_of_batch.where(sure(), ~_is_pending()).order_by(PlanRow.path))
    return found


def _as_json(value: Any) -> Any:
    """Return a value as it is read again after it was stored as JSON."""
    return json.decode(json.encode(value))


def _batches(paths: Iterable[str]) -> Iterator[list[str]]:
    ordered = sorted(paths)
    for start in range(0, len(ordered), _MAX_PARAMETERS):
        yield ordered[start : start + _MAX_PARAMETERS]


def _is_pending() -> ColumnElement[bool]:
    """Return the condition that an active run is still going to import a row's folder."""
    active = select(RunRow.id).join(ImportRun, ImportRun.id == RunRow.run_id).join(Task, Task.id == ImportRun.task_id)
    here = (RunRow.library_id == PlanRow.library_id) & (RunRow.path == PlanRow.path)
    return active.where(here, RunRow.done.is_(None), Task.ended.is_(None)).exists()


def _is_confident(*, certain: bool, at_least: float | None) -> ColumnElement[bool] | None:
    confident = None if at_least is None else PlanRow.confidence >= at_least
    if not certain:
        return confident
    return sure() if confident is None else confident | sure()


def add_run(session: Session, run: ImportRun, run_rows: Iterable[RunRow]) -> None:
    session.add(run)
    session.flush()
    session.add_all(run_rows)
    session.flush()


def name_task(session: Session, run_id: str, task_id: str) -> None:
    session.execute(update(ImportRun).where(ImportRun.id == run_id).values(task_id=task_id))


def runs_of_task(session: Session, task_id: str) -> Sequence[str]:
    """Return the id of the run that a task executes; none if it is another task."""
    return session.scalars(select(ImportRun.id).where(ImportRun.task_id == task_id)).all()


def find_run(session: Session, run_id: str) -> ImportRun | None:
    return session.get(ImportRun, run_id)


def is_automatic(session: Session, run_id: str) -> bool:
    """Return whether a rule started a run."""
    return bool(session.scalar(select(ImportRun.automatic).where(ImportRun.id == run_id)))


def lock_run(session: Session, run_id: str) -> ImportRun | None:
    """Find a run, and let no other transaction undo it or import for it until this one ends."""
    record_lock(session, LockLevel.RUN, run_id)
    return session.scalar(select(ImportRun).where(ImportRun.id == run_id).with_for_update())


def undo(session: Session, run_id: str, *, at: datetime) -> None:
    session.execute(update(ImportRun).where(ImportRun.id == run_id).values(undone=at))


def rows_of_run(session: Session, run_id: str) -> Sequence[RunRow]:
    return session.scalars(select(RunRow).where(RunRow.run_id == run_id).order_by(RunRow.position)).all()


def find_row(session: Session, row_id: int) -> RunRow | None:
    return session.get(RunRow, row_id)


def row_of_game(session: Session, game_id: str) -> RunRow | None:
    """Return what became of the folder that a run imported as a game, None if no run did."""
    return session.scalar(select(RunRow).where(RunRow.game_id == game_id))


def set_row(session: Session, row_id: int, values: dict[str, Any]) -> None:
    session.execute(update(RunRow).where(RunRow.id == row_id).values(values))


class RunCounts(Struct, frozen=True):
    """The number of folders of a run, of those that were imported, and of those with an error; and the first few."""

    total: int
    imported: int
    failed: int
    folders: Sequence[str]


def runs(session: Session, *, most: int) -> list[tuple[ImportRun, RunCounts]]:
    """Return the newest runs."""
    newest = session.scalars(select(ImportRun).order_by(ImportRun.created.desc()).limit(most)).all()
    first = select(RunRow.run_id, RunRow.path).where(
        RunRow.run_id.in_([run.id for run in newest]), RunRow.position < _NAMED_FOLDERS
    )
    folders: dict[str, list[str]] = {}
    for run_id, path in session.execute(first.order_by(RunRow.position)):
        folders.setdefault(run_id, []).append(path)
    tallies = {
        row.run_id: RunCounts(row.total, row.imported, row.failed, folders[row.run_id])
        for row in session.execute(_tallies(newest))
    }
    return [(run, tallies.get(run.id, RunCounts(0, 0, 0, ()))) for run in newest]


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
