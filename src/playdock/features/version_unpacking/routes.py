"""``/api/v1/admin/import/unpacking``: unpacking archives and installers before they are imported."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.libraries.errors import LibraryNotManaged, LibraryUnknown
from playdock.features.game_import.errors import GameFolderUnreadable, GameNotListed, LibraryUnavailable
from playdock.features.game_import.schemas import TaskStarted
from playdock.features.library_files.errors import (
    FilesAreLinked,
    FilesChanging,
    FilesGone,
    FilesInUse,
    GameInOneLibrary,
    LibraryInS3,
    PackedVersionImported,
    PlaceOccupied,
    UnpackedNotVersion,
    UnpackSpaceMissing,
)
from playdock.features.version_import.errors import VersionNotListed, VersionUnusable
from playdock.features.version_unpacking.schemas import PackedVersion, PackedVersionQuery, UnpackingResponse
from playdock.features.version_unpacking.service import VersionUnpacking
from playdock.server.routing import get, post
from playdock.tasks.errors import TaskAlreadyRunning

PATH = "/api/v1/admin/import/unpacking"
_REFUSED = (
    LibraryUnknown,
    LibraryNotManaged,
    LibraryInS3,
    LibraryUnavailable,
    GameNotListed,
    GameFolderUnreadable,
    VersionNotListed,
    VersionUnusable,
    PackedVersionImported,
    GameInOneLibrary,
    UnpackedNotVersion,
    FilesAreLinked,
    FilesGone,
)


@get(PATH, requires=(Permission.LIBRARY_WRITE, Permission.IMPORT_VERSION), raises=[*_REFUSED], touches_disk=True)
def examine_packed_version(
    query: PackedVersionQuery, actor: Actor, version_unpacking: VersionUnpacking
) -> UnpackingResponse:
    """Show what unpacking an archive or installer would take, without unpacking it."""
    packed = version_unpacking.examine(actor, query)
    return UnpackingResponse(
        folder=packed.folder_name,
        files=packed.unpacked.files,
        size=packed.unpacked.size,
        needed=packed.unpacked.needed,
        packed=packed.packed_size,
        free=packed.free,
    )


@post(
    PATH,
    requires=(Permission.LIBRARY_WRITE, Permission.IMPORT_VERSION),
    status=202,
    raises=[*_REFUSED, PlaceOccupied, UnpackSpaceMissing, FilesInUse, FilesChanging, TaskAlreadyRunning],
    touches_disk=True,
)
def unpack_version(data: PackedVersion, actor: Actor, version_unpacking: VersionUnpacking) -> TaskStarted:
    """Start unpacking an archive or installer into a folder.

    The archive is kept in the trash for a while; if the folder is in another library, the archive stays where it is.
    """
    return TaskStarted(task_id=version_unpacking.start(actor, data))


ROUTES = (examine_packed_version, unpack_version)
