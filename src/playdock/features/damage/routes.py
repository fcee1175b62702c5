"""``/api/v1/admin/damage`` and ``/api/v1/admin/version/{id}/verify``."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.damage import FileProblem
from playdock.domain.games.errors import VersionUnknown
from playdock.domain.games.schemas import NamedResponse
from playdock.features.damage.rules import is_whole_version_missing
from playdock.features.damage.schemas import DamagedFile, DamagedVersion
from playdock.features.damage.service import DamagedVersionFiles, Damages
from playdock.features.game_import.schemas import TaskStarted
from playdock.kit.clock import timestamp
from playdock.server.routing import get, post
from playdock.tasks.errors import TaskAlreadyRunning


@get("/api/v1/admin/damage", requires=Permission.MAINTENANCE_READ)
def list_damage(actor: Actor, damages: Damages) -> list[DamagedVersion]:
    """List the versions whose files no longer match what was imported."""
    return [_response_of(damaged) for damaged in damages.list_all(actor)]


@post(
    "/api/v1/admin/version/{version_id:str}/verify",
    requires=Permission.TASK_START,
    status=202,
    raises=[VersionUnknown, TaskAlreadyRunning],
)
def verify_version(version_id: str, actor: Actor, damages: Damages) -> TaskStarted:
    """Start verifying a version: read it again and compare it with its import."""
    return TaskStarted(task_id=damages.verify(actor, version_id))


def _response_of(damaged: DamagedVersionFiles) -> DamagedVersion:
    files = [
        DamagedFile(path=file.path, fault=FileProblem(file.fault), found=timestamp(file.found))
        for file in damaged.files
    ]
    return DamagedVersion(
        game=NamedResponse(id=damaged.game.id, name=damaged.game.name),
        version=NamedResponse(id=damaged.version.id, name=damaged.version.label or damaged.version.name),
        missing=any(is_whole_version_missing(each.fault, each.path) for each in files),
        files=files,
    )


ROUTES = (list_damage, verify_version)
