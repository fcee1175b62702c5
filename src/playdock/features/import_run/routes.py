"""``POST /api/v1/admin/import/plan`` and ``/api/v1/admin/import/run``: importing many folders, and taking that back."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.import_plan.routes import PATH as PLAN
from playdock.features.import_run.errors import NothingChosen, PlanRowUnknown, RunTakenBack, RunUnknown
from playdock.features.import_run.schemas import PlanChoice, RunAnswer, RunRowAnswer, RunStarted, RunSummary
from playdock.features.import_run.service import ImportRuns
from playdock.http.routing import delete, get, post
from playdock.kit.clock import timestamp

PATH = "/api/v1/admin/import/run"
_MOST_BYTES = 8 * 1024 * 1024


@post(
    PLAN,
    needs=(Acl.IMPORT_GAME, Acl.IMPORT_VERSION),
    status=202,
    raises=[PlanRowUnknown, NothingChosen],
    most_bytes=_MOST_BYTES,
)
def apply_plan(choice: PlanChoice, actor: Actor, import_runs: ImportRuns) -> RunStarted:
    """Import chosen rows of the plan in one go."""
    started = import_runs.apply(actor, choice)
    return RunStarted(task_id=started.task_id, run_id=started.run_id)


@get(PATH, needs=Acl.IMPORT_GAME)
def list_runs(actor: Actor, import_runs: ImportRuns) -> list[RunSummary]:
    """List the newest runs."""
    return [
        RunSummary(
            id=run.id,
            task_id=run.task_id,
            created=timestamp(run.created),
            taken_back=timestamp(run.taken_back) if run.taken_back else None,
            total=tally.total,
            imported=tally.imported,
            failed=tally.failed,
        )
        for run, tally in import_runs.everything(actor)
    ]


@get(f"{PATH}/{{run_id:str}}", needs=Acl.IMPORT_GAME, raises=[RunUnknown])
def show_run(run_id: str, actor: Actor, import_runs: ImportRuns) -> RunAnswer:
    """Show a run and what became of its folders."""
    found = import_runs.find(actor, run_id)
    rows = [
        RunRowAnswer(
            library=row.library_id,
            game=row.path,
            game_id=row.game_id,
            fault=row.fault,
            done=timestamp(row.done) if row.done else None,
        )
        for row in found.rows
    ]
    run = found.run
    return RunAnswer(
        id=run.id,
        task_id=run.task_id,
        created=timestamp(run.created),
        taken_back=timestamp(run.taken_back) if run.taken_back else None,
        total=len(rows),
        imported=sum(row.game_id is not None for row in rows),
        failed=sum(row.fault is not None for row in rows),
        rows=rows,
    )


@delete(f"{PATH}/{{run_id:str}}", needs=Acl.GAME_DELETE, raises=[RunUnknown, RunTakenBack])
def take_run_back(run_id: str, actor: Actor, import_runs: ImportRuns) -> None:
    """Take a run back: its games are deleted, their folders stay and can be imported again."""
    import_runs.take_back(actor, run_id)


ROUTES = (apply_plan, list_runs, show_run, take_run_back)
