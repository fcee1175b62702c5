"""``/api/v1/admin/version/{id}/import``."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.game_import.errors import GameFolderUnreadable, LibraryOffline
from playdock.features.game_import.schemas import TaskStarted
from playdock.features.games.errors import VersionUnknown
from playdock.features.reimport.service import Reimports
from playdock.features.version_import.errors import VersionNotListed, VersionUnusable
from playdock.http.routing import post
from playdock.jobs.errors import TaskAlreadyRunning


@post(
    "/api/v1/admin/version/{version_id:str}/import",
    needs=Acl.IMPORT_VERSION,
    status=202,
    raises=[
        VersionUnknown,
        VersionNotListed,
        VersionUnusable,
        TaskAlreadyRunning,
        LibraryOffline,
        GameFolderUnreadable,
    ],
    touches_disk=True,
)
def reimport_version(version_id: str, actor: Actor, reimports: Reimports) -> TaskStarted:
    """Start importing a version again, because its files were changed on purpose."""
    return TaskStarted(task_id=reimports.start(actor, version_id))


ROUTES = (reimport_version,)
