"""Applying rows of the plan, and taking a run back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET
from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.features.catalogue.service import Catalogue
from playdock.features.games import queries as game_queries
from playdock.features.import_run import queries
from playdock.features.import_run.errors import NothingChosen, PlanRowUnknown, RunTakenBack, RunUnknown
from playdock.features.import_run.queries import Tally
from playdock.features.import_run.schemas import ChosenRow, PlanChoice
from playdock.jobs import queries as job_queries
from playdock.jobs.drafts import Lane, TaskDraft
from playdock.jobs.enqueueing import enqueue
from playdock.kit.clock import Clock
from playdock.kit.errors import Fault, InvalidInput
from playdock.kit.secrets import new_id
from playdock.models import ImportRun, PlanRow, RunRow

GROUP = "import:run"
_MOST_RUNS = 100


@dataclass(frozen=True, slots=True)
class Started:
    """A run that has begun, and the task that carries it out."""

    run_id: str
    task_id: str


@dataclass(frozen=True, slots=True)
class Run:
    """A run with all its rows."""

    run: ImportRun
    rows: Sequence[RunRow]


@dataclass(frozen=True, slots=True)
class ImportRuns:
    """The import of many folders in one go."""

    db: Database
    clock: Clock
    catalogue: Catalogue
    wake: Callable[[], None]

    def apply(self, actor: Actor, choice: PlanChoice) -> Started:
        """Import chosen rows in one go.

        Raises:
            PlanRowUnknown, NothingChosen: there is nothing to import.
            InvalidInput: a row is named twice, or a provider that was chosen is not set up.
        """
        actor.require(Acl.IMPORT_GAME)
        actor.require(Acl.IMPORT_VERSION)
        self._refuse_unclear(choice.rows)
        said = {each.id: each for each in choice.rows}
        with self.db.write() as session:
            named, others = queries.chosen(session, said, certain=choice.certain, at_least=choice.at_least)
            if len(named) < len(said):
                raise PlanRowUnknown
            chosen = [_run_row(named[row_id], each) for row_id, each in said.items()]
            chosen += [_run_row(row, ChosenRow(id=row.id)) for row in others]
            if not chosen:
                raise NothingChosen
            started = self._start(session, chosen)
        self.wake()
        return started

    def everything(self, actor: Actor) -> list[tuple[ImportRun, Tally]]:
        """Give the newest runs."""
        actor.require(Acl.IMPORT_GAME)
        with self.db.read() as session:
            return queries.runs(session, most=_MOST_RUNS)

    def find(self, actor: Actor, run_id: str) -> Run:
        """Give a run and what became of its folders.

        Raises:
            RunUnknown: there is none with this id.
        """
        actor.require(Acl.IMPORT_GAME)
        with self.db.read() as session:
            found = queries.find_run(session, run_id)
            if found is None:
                raise RunUnknown
            return Run(found, queries.rows_of_run(session, run_id))

    def take_back(self, actor: Actor, run_id: str) -> None:
        """Delete the games that a run imported, and stop what it has not done yet; the folders stay.

        Raises:
            RunUnknown, RunTakenBack: there is nothing to take back.
        """
        actor.require(Acl.GAME_DELETE)
        left: list[str] = []
        with self.db.write() as session:
            # The task first: it holds its own row before its run's.
            job_queries.cancel_on(session, f"run:{run_id}", at=self.clock())
            run = queries.hold_run(session, run_id)
            if run is None:
                raise RunUnknown
            if run.taken_back is not None:
                raise RunTakenBack
            queries.take_back(session, run_id, at=self.clock())
            games = game_queries.games_of_run(session, run_id)
            self.catalogue.stop(session, games, at=self.clock())
            for game_id in games:
                left += self.catalogue.remove(session, game_id) or []
        self.catalogue.artwork.discard(left)

    def _refuse_unclear(self, rows: Sequence[ChosenRow]) -> None:
        known = self.catalogue.providers.names
        unknown = [
            Fault(f"rows[{index}].metadata.sourceId", f"It is not set up here. Known: {', '.join(known)}.")
            for index, row in enumerate(rows)
            if row.metadata and row.metadata.source_id not in known
        ]
        seen: dict[str, int] = {}
        twice = [
            Fault(f"rows[{index}].id", f"This is the row of rows[{first}]. Name it once.")
            for index, row in enumerate(rows)
            if (first := seen.setdefault(row.id, index)) != index
        ]
        if faults := unknown + twice:
            raise InvalidInput(faults)

    def _start(self, session: Session, chosen: Sequence[RunRow]) -> Started:
        run_id = new_id()
        for position, row in enumerate(chosen):
            row.run_id, row.position = run_id, position
        queries.add_run(session, ImportRun(id=run_id, created=self.clock()), chosen)
        draft = TaskDraft(
            group=GROUP,
            name="Import a game" if len(chosen) == 1 else f"Import {len(chosen):,} games",
            subject=f"run:{run_id}",
            lane=Lane.WAITING,
            acls=(Acl.IMPORT_GAME,),
            arguments={"run": run_id},
        )
        task_id = enqueue(session, draft, at=self.clock())
        queries.name_task(session, run_id, task_id)
        return Started(run_id, task_id)


def _run_row(row: PlanRow, chosen: ChosenRow) -> RunRow:
    return RunRow(
        library_id=row.library_id,
        path=row.path,
        choice={"metadata": _metadata(row, chosen), "versions": _versions(row, chosen)},
    )


def _metadata(row: PlanRow, chosen: ChosenRow) -> dict[str, Any] | None:
    """Give the metadata to import with: what was chosen, else the first candidate, else none."""
    if chosen.metadata is None:
        return None
    if chosen.metadata is not UNSET:
        found: dict[str, Any] = msgspec.to_builtins(chosen.metadata)
        return found
    first = row.candidates[0] if row.candidates else None
    return {name: first[name] for name in ("id", "sourceId", "name")} if first else None


def _versions(row: PlanRow, chosen: ChosenRow) -> list[dict[str, Any]]:
    """Give the versions to import: what was chosen, else all that can be imported as they were guessed."""
    if chosen.versions is not UNSET:
        found: list[dict[str, Any]] = msgspec.to_builtins(chosen.versions)
        return found
    names = ("version", "platform", "onlySetup", "launch", "setup")
    return [{name: each[name] for name in names} for each in row.versions if not each["remark"]]
