"""``/api/v1/admin/import/moved/version`` and ``/api/v1/admin/version/{id}/move``."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import VersionUnknown
from playdock.domain.installations.errors import LayerMissing
from playdock.features.game_import.errors import GameFolderUnreadable, LibraryUnavailable
from playdock.features.game_import.schemas import TaskStarted
from playdock.features.lost_versions.errors import OtherVersion, VersionNotMissing
from playdock.features.lost_versions.schemas import (
    LostVersion,
    MissingVersion,
    VersionCandidate,
    VersionMoveRequest,
)
from playdock.features.lost_versions.service import LostVersionPlace, LostVersions, PlaceCandidate
from playdock.features.version_import.errors import VersionAlreadyImported, VersionNotListed, VersionUnusable
from playdock.server.routing import get, post
from playdock.tasks.errors import TaskAlreadyRunning


@get(
    "/api/v1/admin/import/moved/version",
    requires=(Permission.IMPORT_GAME, Permission.IMPORT_VERSION),
    touches_disk=True,
)
def list_lost_versions(actor: Actor, lost_versions: LostVersions) -> list[MissingVersion]:
    """List versions that are missing from their library, with unimported folders and archives that may be them."""
    return [_response_of(each) for each in lost_versions.lost(actor)]


@post(
    "/api/v1/admin/version/{version_id:str}/move",
    status=202,
    requires=(Permission.VERSION_UPDATE, Permission.IMPORT_VERSION),
    raises=[
        VersionUnknown,
        VersionNotListed,
        VersionNotMissing,
        VersionAlreadyImported,
        OtherVersion,
        VersionUnusable,
        LayerMissing,
        LibraryUnavailable,
        GameFolderUnreadable,
        TaskAlreadyRunning,
    ],
    touches_disk=True,
)
def move_version(version_id: str, data: VersionMoveRequest, actor: Actor, lost_versions: LostVersions) -> TaskStarted:
    """Assign a missing version to the folder or archive that it is now, and read that again."""
    return TaskStarted(task_id=lost_versions.move(actor, version_id, data))


def _response_of(lost: LostVersionPlace) -> MissingVersion:
    version, game = lost.version, lost.game
    return MissingVersion(
        version=LostVersion(
            id=version.id,
            name=version.name,
            beside=version.beside,
            label=version.label,
            game=game.id,
            game_name=game.name,
            library=game.library_id,
            path=game.path,
        ),
        candidates=None if lost.candidates is None else [_candidate(each) for each in lost.candidates],
    )


def _candidate(found: PlaceCandidate) -> VersionCandidate:
    return VersionCandidate(name=found.place.name, beside=found.place.beside, share=found.share)


ROUTES = (list_lost_versions, move_version)
