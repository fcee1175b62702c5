"""Routes of the import plan and of import runs: ``/api/v1/admin/import/plan``, ``/api/v1/admin/import/run``."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from playdock import stored
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.bulk_import.errors import (
    NoFolderReaches,
    NothingImportable,
    NothingSelected,
    PlanRowUnknown,
    RunUndone,
    RunUnknown,
)
from playdock.features.bulk_import.schemas import (
    CandidateResponse,
    ClueResponse,
    GameLink,
    PlanComputation,
    PlanQuery,
    PlanResponse,
    PlanRowResponse,
    PlanSelection,
    PlanTask,
    ProposedVersion,
    RemarkResponse,
    RunResponse,
    RunRowResponse,
    RunStarted,
    RunSummary,
)
from playdock.features.bulk_import.service import ImportPlan, ImportRuns, PlanRowStatus
from playdock.features.version_import.rules import label_of
from playdock.kit.bodies import ResponseBody
from playdock.kit.clock import timestamp
from playdock.models import RunRow
from playdock.server.routing import delete, get, post
from playdock.stored import PlanCandidate, PlanClue, RunChoice, Stored, VersionProposal
from playdock.stored_events import StoredMessage

PLAN = "/api/v1/admin/import/plan"
RUNS = "/api/v1/admin/import/run"
_Response = TypeVar("_Response", bound=ResponseBody)
_MAX_BYTES = 8 * 1024 * 1024


@get(PLAN, requires=Permission.IMPORT_GAME)
def show_plan(query: PlanQuery, actor: Actor, import_plan: ImportPlan) -> PlanResponse:
    """Show what every unimported folder is, the surest first, and the task that is computing the plan."""
    plan = import_plan.show(actor, query)
    return PlanResponse(
        task_id=plan.task_id,
        total=plan.certain + plan.doubtful,
        certain=plan.certain,
        doubtful=plan.doubtful,
        rows=[_described(row) for row in plan.rows],
    )


def _described(shown: PlanRowStatus) -> PlanRowResponse:
    row = shown.row
    return PlanRowResponse(
        id=row.id,
        library=row.library_id,
        game=row.path,
        title=row.title,
        certain=shown.certain,
        confidence=row.confidence,
        clues=_convert(stored.decode_list(row.clues, PlanClue), ClueResponse),
        candidates=_convert(stored.decode_list(row.candidates, PlanCandidate), CandidateResponse),
        versions=[_proposed(row.path, each) for each in stored.decode_list(row.versions, VersionProposal)],
        remark=" ".join(remark.text for remark in shown.remarks),
        remarks=[_remark(remark) for remark in shown.remarks],
        version_of=GameLink(id=shown.version_of.id, name=shown.version_of.name) if shown.version_of else None,
        left_out=_remark(shown.left_out) if shown.left_out else None,
        computed=timestamp(row.computed),
    )


def _remark(message: StoredMessage) -> RemarkResponse:
    return RemarkResponse(text=message.text, code=message.code, parameters=dict(message.parameters))


def _proposed(game: str, proposal: VersionProposal) -> ProposedVersion:
    label = label_of(game, proposal.version, reported={})
    return ProposedVersion(label=label, **msgspec.structs.asdict(proposal))


@post(f"{PLAN}/task", requires=Permission.IMPORT_GAME, status=202, touches_disk=True)
def compute_plan(data: PlanComputation, actor: Actor, import_plan: ImportPlan) -> PlanTask:
    """Compute what the plan lacks, or all of it; without a task if the plan is complete."""
    return PlanTask(task_id=import_plan.compute(actor, fresh=data.fresh))


def _convert(rows: Sequence[Stored], schema: type[_Response]) -> list[_Response]:
    return [msgspec.convert(row, schema, from_attributes=True) for row in rows]


@post(
    PLAN,
    requires=(Permission.IMPORT_GAME, Permission.IMPORT_VERSION),
    status=202,
    raises=[PlanRowUnknown, NothingSelected, NothingImportable, NoFolderReaches],
    max_body_bytes=_MAX_BYTES,
)
def apply_plan(choice: PlanSelection, actor: Actor, import_runs: ImportRuns) -> RunStarted:
    """Import chosen rows of the plan in one go."""
    started = import_runs.apply(actor, choice)
    return RunStarted(task_id=started.task_id, run_id=started.run_id)


@get(RUNS, requires=Permission.IMPORT_GAME)
def list_runs(actor: Actor, import_runs: ImportRuns) -> list[RunSummary]:
    """List the newest runs."""
    return [
        RunSummary(
            id=run.id,
            task_id=run.task_id,
            created=timestamp(run.created),
            taken_back=timestamp(run.undone) if run.undone else None,
            automatic=bool(run.automatic),
            total=tally.total,
            imported=tally.imported,
            failed=tally.failed,
            folders=list(tally.folders),
        )
        for run, tally in import_runs.list_all(actor)
    ]


@get(f"{RUNS}/{{run_id:str}}", requires=Permission.IMPORT_GAME, raises=[RunUnknown])
def show_run(run_id: str, actor: Actor, import_runs: ImportRuns) -> RunResponse:
    """Show a run and what became of its folders."""
    found = import_runs.find(actor, run_id)
    rows = [_run_row(row) for row in found.rows]
    run = found.run
    return RunResponse(
        id=run.id,
        task_id=run.task_id,
        created=timestamp(run.created),
        taken_back=timestamp(run.undone) if run.undone else None,
        automatic=bool(run.automatic),
        total=len(rows),
        imported=sum(row.game_id is not None for row in rows),
        failed=sum(row.fault is not None for row in rows),
        rows=rows,
    )


def _run_row(row: RunRow) -> RunRowResponse:
    choice = stored.decode(row.choice, RunChoice)
    return RunRowResponse(
        library=row.library_id,
        game=row.path,
        game_id=row.game_id,
        fault=row.fault,
        fault_code=choice.fault_code,
        fault_parameters=dict(choice.fault_parameters),
        done=timestamp(row.done) if row.done else None,
    )


@delete(f"{RUNS}/{{run_id:str}}", requires=Permission.GAME_DELETE, raises=[RunUnknown, RunUndone])
def undo_run(run_id: str, actor: Actor, import_runs: ImportRuns) -> None:
    """Take a run back: its games are deleted, their folders stay and can be imported again."""
    import_runs.undo(actor, run_id)


ROUTES = (show_plan, compute_plan, apply_plan, list_runs, show_run, undo_run)
