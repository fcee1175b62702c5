"""``/api/v1/admin/import/version`` (interface 4.5)."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.game_import.errors import GameFolderUnreadable, LibraryOffline
from playdock.features.game_import.schemas import TaskStarted
from playdock.features.games.errors import GameUnknown
from playdock.features.installations.errors import LayerLost
from playdock.features.version_import.errors import (
    NoBaseVersion,
    VersionAlreadyImported,
    VersionNotListed,
    VersionUnusable,
)
from playdock.features.version_import.schemas import GameQuery, GuessAnswer, VersionImportDraft, VersionQuery
from playdock.features.version_import.service import VersionImports
from playdock.http.routing import get, post
from playdock.jobs.errors import TaskAlreadyRunning

PATH = "/api/v1/admin/import/version"


@get(
    PATH,
    needs=Acl.IMPORT_VERSION,
    raises=[GameUnknown, LibraryOffline, GameFolderUnreadable, VersionNotListed],
    touches_disk=True,
)
def list_unimported_versions(asked: GameQuery, actor: Actor, version_imports: VersionImports) -> list[str]:
    """List the versions of a game that could be imported."""
    return version_imports.unimported(actor, asked.id)


@get(
    f"{PATH}/preload",
    needs=Acl.IMPORT_VERSION,
    raises=[GameUnknown, LibraryOffline, GameFolderUnreadable, VersionNotListed, VersionUnusable],
    touches_disk=True,
)
def preload_version(asked: VersionQuery, actor: Actor, version_imports: VersionImports) -> list[GuessAnswer]:
    """Guess which programs of a version launch the game or set it up, the likeliest first."""
    return [
        GuessAnswer(filename=guess.filename, platform=guess.platform, match=guess.match)
        for guess in version_imports.preload(actor, asked.id, asked.version)
    ]


@post(
    PATH,
    needs=Acl.IMPORT_VERSION,
    status=202,
    raises=[
        GameUnknown,
        VersionNotListed,
        VersionUnusable,
        VersionAlreadyImported,
        NoBaseVersion,
        LayerLost,
        TaskAlreadyRunning,
        LibraryOffline,
        GameFolderUnreadable,
    ],
    touches_disk=True,
)
def import_version(draft: VersionImportDraft, actor: Actor, version_imports: VersionImports) -> TaskStarted:
    """Start the import of a version."""
    return TaskStarted(task_id=version_imports.start(actor, draft))


ROUTES = (list_unimported_versions, preload_version, import_version)
