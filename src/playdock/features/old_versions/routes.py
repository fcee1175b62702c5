"""``/api/v1/admin/old-versions``."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.game_import.schemas import TaskStarted
from playdock.features.old_versions.schemas import (
    OldVersion,
    OldVersionsDeletion,
    OldVersionsQuery,
    OldVersionsResponse,
)
from playdock.features.old_versions.service import OldVersions
from playdock.server.routing import delete, get
from playdock.tasks.errors import TaskAlreadyRunning

_PATH = "/api/v1/admin/old-versions"


@get(_PATH, requires=Permission.LIBRARY_WRITE)
def list_old_versions(query: OldVersionsQuery, actor: Actor, old_versions: OldVersions) -> OldVersionsResponse:
    """List versions in managed libraries that are older than the newest ones of their platform."""
    found = old_versions.list_all(actor, keep=query.keep)
    return OldVersionsResponse(
        versions=[
            OldVersion(
                id=version.id,
                name=version.name,
                platform=version.platform,
                size=version.size,
                game_id=game.id,
                game_name=game.name,
            )
            for game, version in found
        ]
    )


@delete(_PATH, requires=(Permission.LIBRARY_WRITE, Permission.VERSION_DELETE), status=202, raises=[TaskAlreadyRunning])
def delete_old_versions(data: OldVersionsDeletion, actor: Actor, old_versions: OldVersions) -> TaskStarted:
    """Start deleting old versions with their files, which are kept in the trash for a while."""
    return TaskStarted(task_id=old_versions.delete(actor, data.versions, keep=data.keep))


ROUTES = (list_old_versions, delete_old_versions)
