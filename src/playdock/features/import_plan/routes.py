"""``GET /api/v1/admin/import/plan``: what every unimported folder is."""

import msgspec

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.import_plan.schemas import (
    CandidateAnswer,
    ClueAnswer,
    PlanAnswer,
    PlanQuery,
    PlanRowAnswer,
    ProposedVersion,
)
from playdock.features.import_plan.service import ImportPlan, Shown
from playdock.http.routing import get
from playdock.kit.clock import timestamp

PATH = "/api/v1/admin/import/plan"


@get(PATH, needs=Acl.IMPORT_GAME, touches_disk=True)
def show_plan(asked: PlanQuery, actor: Actor, import_plan: ImportPlan) -> PlanAnswer:
    """Show what every unimported folder is, the surest first; a task computes what is missing."""
    plan = import_plan.show(actor, asked)
    return PlanAnswer(
        task_id=plan.task_id,
        total=plan.certain + plan.doubtful,
        certain=plan.certain,
        doubtful=plan.doubtful,
        rows=[_described(row) for row in plan.rows],
    )


def _described(shown: Shown) -> PlanRowAnswer:
    row = shown.row
    return PlanRowAnswer(
        id=row.id,
        library=row.library_id,
        game=row.path,
        title=row.title,
        certain=shown.certain,
        confidence=row.confidence,
        clues=msgspec.convert(row.clues, list[ClueAnswer]),
        candidates=msgspec.convert(row.candidates, list[CandidateAnswer]),
        versions=msgspec.convert(row.versions, list[ProposedVersion]),
        remark=shown.remark,
        computed=timestamp(row.computed),
    )


ROUTES = (show_plan,)
