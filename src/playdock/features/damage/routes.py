"""``/api/v1/admin/damage`` and ``/api/v1/admin/version/{id}/verify``."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.content.damage import FileFault
from playdock.features.damage.schemas import DamagedFile, DamagedVersion
from playdock.features.damage.service import Damages, Spoiled
from playdock.features.game_import.schemas import TaskStarted
from playdock.features.games.errors import VersionUnknown
from playdock.features.games.schemas import NamedAnswer
from playdock.http.routing import get, post
from playdock.jobs.errors import TaskAlreadyRunning
from playdock.kit.clock import timestamp


@get("/api/v1/admin/damage", needs=Acl.MAINTENANCE_READ)
def list_damage(actor: Actor, damages: Damages) -> list[DamagedVersion]:
    """List the versions that are not in the library as they were imported."""
    return [_described(each) for each in damages.everything(actor)]


@post(
    "/api/v1/admin/version/{version_id:str}/verify",
    needs=Acl.TASK_START,
    status=202,
    raises=[VersionUnknown, TaskAlreadyRunning],
)
def verify_version(version_id: str, actor: Actor, damages: Damages) -> TaskStarted:
    """Start reading a version again, to find out whether it is as it was imported."""
    return TaskStarted(task_id=damages.verify(actor, version_id))


def _described(each: Spoiled) -> DamagedVersion:
    return DamagedVersion(
        game=NamedAnswer(id=each.game.id, name=each.game.name),
        version=NamedAnswer(id=each.version.id, name=each.version.name),
        files=[
            DamagedFile(path=file.path, fault=FileFault(file.fault), found=timestamp(file.found)) for file in each.files
        ],
    )


ROUTES = (list_damage, verify_version)
