"""``/api/v1/admin/import/version``: importing versions, and re-importing them in place."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import GameUnknown, VersionUnknown
from playdock.domain.installations.errors import LayerMissing
from playdock.features.game_import.errors import GameFolderUnreadable, LibraryUnavailable
from playdock.features.game_import.schemas import TaskStarted
from playdock.features.version_import.errors import (
    NoBaseVersion,
    VersionAlreadyImported,
    VersionNotListed,
    VersionUnusable,
)
from playdock.features.version_import.schemas import (
    FailedImport,
    FolderToAdd,
    GameQuery,
    LaunchGuessResponse,
    VersionImportRequest,
    VersionQuery,
)
from playdock.features.version_import.service import VersionImports
from playdock.kit.fields import VersionTitle
from playdock.server.routing import get, post
from playdock.tasks.errors import TaskAlreadyRunning

PATH = "/api/v1/admin/import/version"


@get(
    PATH,
    requires=Permission.IMPORT_VERSION,
    raises=[GameUnknown, LibraryUnavailable, GameFolderUnreadable, VersionNotListed],
    touches_disk=True,
)
def list_unimported_versions(query: GameQuery, actor: Actor, version_imports: VersionImports) -> list[VersionTitle]:
    """List the versions of a game that can be imported."""
    return version_imports.unimported(actor, query.id)


@get(
    f"{PATH}/preload",
    requires=Permission.IMPORT_VERSION,
    raises=[GameUnknown, LibraryUnavailable, GameFolderUnreadable, VersionNotListed, VersionUnusable],
    touches_disk=True,
)
def preload_version(query: VersionQuery, actor: Actor, version_imports: VersionImports) -> list[LaunchGuessResponse]:
    """Guess the programs of a version that launch the game or set it up, best guess first."""
    return [
        LaunchGuessResponse(filename=guess.filename, platform=guess.platform, match=guess.match)
        for guess in version_imports.preload(actor, query.id, query.version)
    ]


@get(f"{PATH}/failure", requires=Permission.IMPORT_VERSION)
def show_failed_import(query: VersionQuery, actor: Actor, version_imports: VersionImports) -> FailedImport:
    """Show why a version could not be imported."""
    return FailedImport(task_id=version_imports.failure(actor, query.id, query.version))


@post(
    PATH,
    requires=Permission.IMPORT_VERSION,
    status=202,
    raises=[
        GameUnknown,
        VersionNotListed,
        VersionUnusable,
        VersionAlreadyImported,
        NoBaseVersion,
        LayerMissing,
        TaskAlreadyRunning,
        LibraryUnavailable,
        GameFolderUnreadable,
    ],
    touches_disk=True,
)
def import_version(data: VersionImportRequest, actor: Actor, version_imports: VersionImports) -> TaskStarted:
    """Start importing a version."""
    return TaskStarted(task_id=version_imports.start(actor, data))


@post(f"{PATH}/new", requires=Permission.IMPORT_VERSION, status=202, raises=[TaskAlreadyRunning])
def import_new_versions(actor: Actor, version_imports: VersionImports) -> TaskStarted:
    """Start importing the new versions of all imported games, with the commands of the newest one or likely ones."""
    return TaskStarted(task_id=version_imports.start_new(actor))


@post(
    f"{PATH}/beside",
    requires=Permission.IMPORT_VERSION,
    status=202,
    raises=[
        GameUnknown,
        VersionNotListed,
        VersionUnusable,
        VersionAlreadyImported,
        TaskAlreadyRunning,
        LibraryUnavailable,
        GameFolderUnreadable,
    ],
    touches_disk=True,
)
def import_version_beside(data: FolderToAdd, actor: Actor, version_imports: VersionImports) -> TaskStarted:
    """Start importing a folder or archive of a game's library as a version of that game.

    It gets the commands of the newest version, or likely ones if it has others.
    """
    return TaskStarted(task_id=version_imports.start_beside(actor, data.id, data.folder))


@post(
    "/api/v1/admin/version/{version_id:str}/import",
    requires=Permission.IMPORT_VERSION,
    status=202,
    raises=[
        VersionUnknown,
        VersionNotListed,
        VersionUnusable,
        TaskAlreadyRunning,
        LibraryUnavailable,
        GameFolderUnreadable,
    ],
    touches_disk=True,
)
def reimport_version(version_id: str, actor: Actor, version_imports: VersionImports) -> TaskStarted:
    """Start re-importing a version whose files were changed intentionally."""
    return TaskStarted(task_id=version_imports.reimport(actor, version_id))


ROUTES = (
    list_unimported_versions,
    preload_version,
    show_failed_import,
    import_version,
    import_new_versions,
    import_version_beside,
    reimport_version,
)
