"""``/api/v1/admin/version/{id}/notes``: release notes from providers."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import VersionUnknown
from playdock.features.game_import.schemas import TaskStarted
from playdock.features.release_notes.errors import NoReleaseNotes
from playdock.features.release_notes.service import VersionNotes
from playdock.server.routing import post
from playdock.tasks.errors import TaskAlreadyRunning


@post(
    "/api/v1/admin/version/{version_id:str}/notes",
    requires=Permission.NEWS_CREATE,
    status=202,
    raises=[VersionUnknown, NoReleaseNotes, TaskAlreadyRunning],
)
def fetch_release_notes(version_id: str, actor: Actor, version_notes: VersionNotes) -> TaskStarted:
    """Start looking for the release notes of a version at the provider of its game. Written ones are kept."""
    return TaskStarted(task_id=version_notes.start(actor, version_id))


ROUTES = (fetch_release_notes,)
