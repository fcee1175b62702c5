"""Looking at the plan, which is computed as folders come and go."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.features.games import queries as game_queries
from playdock.features.import_plan import queries, rules
from playdock.features.import_plan.schemas import PlanQuery
from playdock.features.libraries import queries as library_queries
from playdock.features.libraries.service import backend_of
from playdock.jobs import queries as job_queries
from playdock.jobs.drafts import Lane, TaskDraft
from playdock.jobs.enqueueing import enqueue
from playdock.jobs.errors import TaskAlreadyRunning
from playdock.kit.clock import Clock
from playdock.models import Library, PlanRow
from playdock.storage.backends import PlaceUnusable

GROUP = "plan:import"


@dataclass(frozen=True, slots=True)
class Shown:
    """A row as it stands now: whether it is certain among all others, and what is to be said of it."""

    row: PlanRow
    certain: bool
    remark: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A part of the plan, how many rows there are in all, and the task that is computing it."""

    rows: Sequence[Shown]
    certain: int
    doubtful: int
    task_id: str | None


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What every unimported folder is."""

    db: Database
    clock: Clock
    wake: Callable[[], None]

    def show(self, actor: Actor, wanted: PlanQuery) -> Plan:
        """Give the plan as it is, and let it be computed where folders have come, or anew if that is wanted."""
        actor.require(Acl.IMPORT_GAME)
        task_id = self._computing() or self._compute_missing(fresh=wanted.fresh)
        with self.db.read() as session:
            rows = queries.rows(
                session, library=wanted.library, certain=wanted.certain, offset=wanted.offset, limit=wanted.limit
            )
            rivals, imported = queries.rivals(session, rows), queries.imported(session, rows)
            certain, doubtful = queries.counts(session, library=wanted.library)
        shown = [_shown(row, rival=rivals.get(row.id, ""), imported=imported.get(row.id, "")) for row in rows]
        return Plan(shown, certain, doubtful, task_id)

    def _computing(self) -> str | None:
        with self.db.read() as session:
            living = job_queries.living_of(session, GROUP)
        return living[0].id if living else None

    def _compute_missing(self, *, fresh: bool) -> str | None:
        if not fresh and not self._is_behind():
            return None
        draft = TaskDraft(
            group=GROUP,
            name="Plan the import of all folders",
            subject=GROUP,
            lane=Lane.WAITING,
            acls=(Acl.IMPORT_GAME,),
            arguments={"fresh": fresh},
        )
        try:
            with self.db.write() as session:
                task_id = enqueue(session, draft, at=self.clock())
        except TaskAlreadyRunning as running:
            return running.task_id
        self.wake()
        return task_id

    def _is_behind(self) -> bool:
        """Tell whether folders have come or gone since the plan was computed."""
        with self.db.read() as session:
            libraries = library_queries.everything(session)
            planned = {library.id: set(queries.planned(session, library.id)) for library in libraries}
            imported = {library.id: game_queries.imported_paths(session, library.id) for library in libraries}
        return any(
            planned[library.id] != unimported
            for library in libraries
            if (unimported := listed(library, but=imported[library.id])) is not None
        )


def _shown(row: PlanRow, *, rival: str, imported: str) -> Shown:
    remarks = (row.remark, rules.taken(rival=rival, imported=imported))
    return Shown(row, row.certain and not (rival or imported), " ".join(filter(None, remarks)))


def listed(library: Library, *, but: set[str]) -> set[str] | None:
    """Give the folders that a library lists, except some; None while it cannot be read."""
    try:
        return set(backend_of(library).games()) - but
    except PlaceUnusable:
        return None
