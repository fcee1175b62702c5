"""The plan, which is computed again when folders appear or disappear, and the runs that import its rows."""

from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import nullcontext
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.audit.service import add_details
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.layouts import DEFAULT_VERSION
from playdock.db.accompanying import unaccompanied
from playdock.db.database import Database
from playdock.domain.events import queries as event_queries
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.found_versions.queries import Place, WhyNotImported
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.game_metadata.service import GameMetadataService
from playdock.domain.games import queries as game_queries
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.service import LibraryBackends
from playdock.features.bulk_import import queries, rules
from playdock.features.bulk_import.errors import (
    NoFolderReaches,
    NothingImportable,
    NothingSelected,
    PlanRowUnknown,
    RunUndone,
    RunUnknown,
)
from playdock.features.bulk_import.queries import PlannedFolder, RunCounts
from playdock.features.bulk_import.rules import KnownGame
from playdock.features.bulk_import.run_rows import fault_values, importable, invalid_rows, run_row, version_fault
from playdock.features.bulk_import.schemas import PlanQuery, PlanSelection
from playdock.kit.clock import Clock
from playdock.kit.errors import InvalidInput
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import ImportRun, Library, PlanRow, RunRow
from playdock.storage.library_policy import LocationUnusable
from playdock.stored import ImportRunArguments, PlanImportArguments, run_subject
from playdock.stored_events import StoredMessage, stored_message
from playdock.tasks import queries as task_queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import TaskAlreadyRunning
from playdock.tasks.new_task import NewTask, Queue

PLAN_TASK = "plan:import"
RUN_TASK = "import:run"
# How soon providers that could not be asked are asked again: if somebody looks at the plan, and otherwise.
_PAUSE_BETWEEN_VISITS = timedelta(minutes=1)
_PAUSE_BETWEEN_SCANS = timedelta(minutes=30)
_MAX_RUNS = 100
# Remarks on versions that could be read. Many folders have them, and each look would read all their file times.
_READABLE = frozenset({"no-program-found"})


class PlanRowStatus(Struct, frozen=True):
    """A row as it stands now: whether it is certain among all others, and what is to be said of it."""

    row: PlanRow
    certain: bool
    remarks: Sequence[StoredMessage]
    # The game that it can be added to as a version, and why the rule has not done that.
    version_of: KnownGame | None = None
    left_out: StoredMessage | None = None


class PlanPage(Struct, frozen=True):
    """A part of the plan, how many rows there are in all, and the task that is computing it."""

    rows: Sequence[PlanRowStatus]
    certain: int
    doubtful: int
    task_id: str | None


class ImportPlan(Struct, frozen=True):
    """What every unimported folder is."""

    db: Database
    clock: Clock
    backends: LibraryBackends
    notify_runner: Callable[[], None]

    def show(self, actor: Actor, query: PlanQuery) -> PlanPage:
        """Return a part of the plan, and the task that is computing it."""
        actor.require(Permission.IMPORT_GAME)
        with self.db.read() as session:
            active = task_queries.active_tasks(session, PLAN_TASK)
            rows = queries.rows(
                session,
                library=query.library,
                certain=query.certain,
                text=query.q,
                sort=query.sort,
                offset=query.offset,
                limit=query.limit,
            )
            rivals, imported = queries.rivals(session, rows), queries.imported(session, rows)
            same_named = queries.same_named(session, rows)
            certain, doubtful = queries.counts(session, library=query.library, text=query.q)
            found = found_queries.in_folders(session, {row.path for row in rows})
        reasons = {row.id: found.get((row.library_id, Place(row.path, DEFAULT_VERSION))) for row in rows}
        shown = [
            _shown(row, rivals.get(row.id, ""), imported.get(row.id), same_named.get(row.id), reasons[row.id])
            for row in rows
        ]
        return PlanPage(shown, certain, doubtful, active[0].id if active else None)

    def compute(self, actor: Actor, *, fresh: bool) -> str | None:
        """Compute the rows of new folders, or all rows again, and return the id of the task.

        None if there is nothing to compute.
        """
        actor.require(Permission.IMPORT_GAME)
        # Pages compute what is missing by themselves, which changes nothing.
        with nullcontext() if fresh else unaccompanied():
            return self._computing() or self._compute_missing(fresh=fresh, pause=_PAUSE_BETWEEN_VISITS)

    def compute_missing(self) -> str | None:
        """Compute the rows of new folders; for tasks only. Returns as `compute`."""
        return self._computing() or self._compute_missing(fresh=False, pause=_PAUSE_BETWEEN_SCANS)

    def discard_outdated(self, session: Session, library_id: str, changed: Mapping[str, datetime]) -> None:
        """Delete the rows of folders that have changed after the row was computed."""
        planned = queries.planned(session, library_id) if changed else {}
        outdated = [path for path, at in changed.items() if path in planned and planned[path].computed < at]
        queries.delete_rows(session, library_id, outdated)

    def discard(self, session: Session, library_id: str) -> None:
        """Delete the rows of a library whose layout has changed."""
        queries.delete_rows_of(session, library_id)

    def unusable_versions(self, library_id: str) -> set[Place]:
        """Return the versions that could not be read, such as damaged archives; for tasks only."""
        with self.db.read() as session:
            found = queries.proposals(session, library_id)
        return {
            Place(path, each["version"])
            for path, versions in found.items()
            for each in versions
            if each.get("remark") and each.get("remarkCode") not in _READABLE
        }

    def planned(self, session: Session, library_id: str) -> dict[str, PlannedFolder]:
        """Return the folders of a library that have a row; for tasks only."""
        return queries.planned(session, library_id)

    def _computing(self) -> str | None:
        with self.db.read() as session:
            active = task_queries.active_tasks(session, PLAN_TASK)
        return active[0].id if active else None

    def _compute_missing(self, *, fresh: bool, pause: timedelta) -> str | None:
        """Start the task if there is something to compute.

        So there is if providers could not be asked about some folders, and the task has not run for some time.
        """
        if not (fresh or self._is_behind() or self._may_ask_again(pause)):
            return None
        new_task = NewTask(
            task_type=PLAN_TASK,
            name=Message("plan-import"),
            subject=PLAN_TASK,
            queue=Queue.NETWORK,
            acls=(Permission.IMPORT_GAME,),
            arguments=PlanImportArguments(fresh=fresh),
        )
        try:
            with self.db.write() as session:
                task_id = enqueue(session, new_task, at=self.clock())
        except TaskAlreadyRunning as running:
            return running.task_id
        self.notify_runner()
        return task_id

    def _may_ask_again(self, pause: timedelta) -> bool:
        with self.db.read() as session:
            last = task_queries.last_created(session, PLAN_TASK)
            return (last is None or self.clock() - last >= pause) and queries.any_unanswered(session)

    def _is_behind(self) -> bool:
        """Return whether folders have come or gone since the plan was computed."""
        with self.db.read() as session:
            libraries = library_queries.list_all(session)
            planned = {library.id: set(queries.planned(session, library.id)) for library in libraries}
            left_out = {library.id: left_out_of_plan(session, library.id, at=self.clock()) for library in libraries}
        return any(
            planned[library.id] - left_out[library.id].changing != unimported - left_out[library.id].changing
            for library in libraries
            if (unimported := listed(self.backends, library, but=left_out[library.id].imported)) is not None
        )


def _shown(
    row: PlanRow, rival: str, imported: KnownGame | None, same: KnownGame | None, found: WhyNotImported | None
) -> PlanRowStatus:
    game, versions = imported or same, [each["version"] for each in row.versions]
    can_be_added = game is not None and rules.can_be_version(game, library=row.library_id, versions=versions)
    remarks = [StoredMessage(row.remark, row.remark_code, row.remark_parameters or {})] if row.remark else []
    if remark := rules.remark_on(rival=rival, imported=imported, same=same, can_be_added=can_be_added):
        # What to do about this folder is more than why a provider does not answer.
        remarks.insert(0, stored_message(remark))
    is_certain = row.certain and not (rival or imported)
    if game is None or not can_be_added:
        return PlanRowStatus(row, is_certain, remarks)
    return PlanRowStatus(row, is_certain, remarks, game, found.reason if found else None)


class LeftOut(Struct, frozen=True):
    """The folders of a library that need no row: the imported ones, and those that may still be copied."""

    imported: set[str]
    changing: set[str]


def left_out_of_plan(session: Session, library_id: str, *, at: datetime) -> LeftOut:
    """Return the folders of a library that need no row."""
    changing = found_queries.changing(session, library_id, at=at)
    return LeftOut(folder_queries.imported_paths(session, library_id), {place.path for place in changing})


def listed(backends: LibraryBackends, library: Library, *, but: AbstractSet[str] = frozenset()) -> set[str] | None:
    """Return the folders of a library without those in ``but`` and ignored ones, or None if its disk is away."""
    try:
        games = backends.of(library).games()
        # A disk that is away often leaves an empty folder behind.
        if but and not games:
            return None
        return set(backends.offered(library, set(games) - but))
    except LocationUnusable:
        return None


class StartedRun(Struct, frozen=True):
    """A run that was started, and the task that executes it."""

    run_id: str
    task_id: str


class RunWithRows(Struct, frozen=True):
    """A run with all its rows."""

    run: ImportRun
    rows: Sequence[RunRow]


class ImportRuns(Struct, frozen=True):
    """Import runs: importing many folders at once, and undoing that."""

    db: Database
    clock: Clock
    game_metadata: GameMetadataService
    notify_runner: Callable[[], None]

    def apply(self, actor: Actor, choice: PlanSelection) -> StartedRun:
        """Start a run that imports the selected rows.

        Raises:
            PlanRowUnknown, NothingSelected, NothingImportable, NoFolderReaches: There is nothing to import.
            InvalidInput: A row is selected twice, or a selected provider is not configured.
        """
        actor.require(Permission.IMPORT_GAME)
        actor.require(Permission.IMPORT_VERSION)
        if invalid := invalid_rows(choice.rows, providers=self.game_metadata.providers.names):
            raise InvalidInput(invalid)
        selected = {row.id: row for row in choice.rows}
        with self.db.write() as session:
            named, others = queries.chosen(session, selected, certain=choice.certain, at_least=choice.at_least)
            if len(named) < len(selected):
                raise PlanRowUnknown
            chosen = [run_row(named[row_id], row) for row_id, row in selected.items()]
            chosen += importable(queries.with_new_names(session, others))
            if others and not chosen:
                raise NothingImportable
            if not chosen and choice.at_least:
                raise NoFolderReaches(choice.at_least)
            if not chosen:
                raise NothingSelected
            started = self._start(session, chosen)
            add_details(games=", ".join(row.path for row in chosen))
        self.notify_runner()
        return started

    def begin_automatic(self, session: Session, library_id: str, paths: Collection[str]) -> set[str]:
        """Start a run that imports recognized folders as proposed, and return these.

        For tasks only, which notify the runner.
        """
        found = importable(queries.with_new_names(session, queries.sure_rows(session, library_id, paths)))
        if found:
            self._start(session, found, automatic=True)
        return {row.path for row in found}

    def list_all(self, actor: Actor) -> list[tuple[ImportRun, RunCounts]]:
        """Return the newest runs."""
        actor.require(Permission.IMPORT_GAME)
        with self.db.read() as session:
            return queries.runs(session, most=_MAX_RUNS)

    def find(self, actor: Actor, run_id: str) -> RunWithRows:
        """Return a run with the result for each folder.

        Raises:
            RunUnknown: There is no run with this id.
        """
        actor.require(Permission.IMPORT_GAME)
        with self.db.read() as session:
            found = queries.find_run(session, run_id)
            if found is None:
                raise RunUnknown
            return RunWithRows(found, queries.rows_of_run(session, run_id))

    def undo(self, actor: Actor, run_id: str) -> None:
        """Delete the games that a run imported, and cancel the rest of it. The folders remain.

        Raises:
            RunUnknown, RunUndone: There is nothing to undo.
        """
        actor.require(Permission.GAME_DELETE)
        left: list[str] = []
        with self.db.write() as session:
            # Once the run's task is cancelled, it imports nothing more, so that these are all games of the run.
            task_queries.cancel_below(session, run_subject(run_id), at=self.clock())
            games = game_queries.games_of_run(session, run_id)
            self.game_metadata.stop(session, games, at=self.clock())
            run = queries.lock_run(session, run_id)
            if run is None:
                raise RunUnknown
            if run.undone is not None:
                raise RunUndone
            queries.undo(session, run_id, at=self.clock())
            for game_id in games:
                left += self.game_metadata.remove(session, game_id) or []
        self.game_metadata.artwork.discard(left)

    def tell_of_failure(self, row_id: int) -> None:
        """Tell the administrators if a rule could not import a folder: nobody looks at such a run. For tasks only."""
        with self.db.write() as session:
            row = queries.find_row(session, row_id)
            library = library_queries.find(session, row.library_id) if row and row.fault else None
            if row is not None and library is not None:
                event_queries.add_folders(session, f"run:{row_id}", library, [row.path], at=self.clock())

    def note_failure(self, session: Session, game_id: str, version: str, reason: Message) -> None:
        """Note why a version failed at what became of its folder, if a run has imported it. For tasks only."""
        row = queries.row_of_game(session, game_id)
        if row is not None and row.fault is None:
            fault = version_fault(version, reason)
            queries.set_row(session, row.id, fault_values(row, fault))

    def cancel_queued(self, session: Session, task_id: str) -> None:
        """Cancel the imports of versions that the run of a task has queued; its games remain, without these versions.

        Call this after cancelling the task, which then queues nothing more. Other tasks have no run.
        """
        for run_id in queries.runs_of_task(session, task_id):
            self.game_metadata.stop(session, game_queries.games_of_run(session, run_id), at=self.clock())

    def _start(self, session: Session, chosen: Sequence[RunRow], *, automatic: bool = False) -> StartedRun:
        run_id = new_id()
        for position, row in enumerate(chosen):
            row.run_id, row.position = run_id, position
        queries.add_run(session, ImportRun(id=run_id, created=self.clock(), automatic=automatic), chosen)
        new_task = NewTask(
            task_type=RUN_TASK,
            name=Message("import-one-game") if len(chosen) == 1 else Message("import-games", count=len(chosen)),
            subject=run_subject(run_id),
            queue=Queue.NETWORK,
            acls=(Permission.IMPORT_GAME,),
            arguments=ImportRunArguments(run=run_id),
        )
        task_id = enqueue(session, new_task, at=self.clock())
        queries.name_task(session, run_id, task_id)
        return StartedRun(run_id, task_id)
