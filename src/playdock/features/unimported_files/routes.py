"""``/api/v1/admin/import/files`` and ``/ignored``: deleting and ignoring what is not imported."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.libraries.errors import LibraryNotManaged, LibraryUnknown, TooMuchIgnored
from playdock.features.game_import.errors import GameFolderUnreadable, GameNotListed, LibraryUnavailable
from playdock.features.game_import.schemas import TaskStarted
from playdock.features.library_files.errors import (
    FilesAreLinked,
    FilesChanging,
    FilesGone,
    FilesImported,
    FilesInUse,
    LibraryInS3,
)
from playdock.features.unimported_files.schemas import UnimportedFilesDeletion, UnimportedFilesName
from playdock.features.unimported_files.service import UnimportedFiles
from playdock.features.version_import.errors import VersionNotListed
from playdock.server.routing import delete, post
from playdock.tasks.errors import TaskAlreadyRunning

IGNORED = "/api/v1/admin/import/ignored"


@delete(
    "/api/v1/admin/import/files",
    requires=(Permission.LIBRARY_WRITE, Permission.IMPORT_VERSION),
    status=202,
    raises=[
        LibraryUnknown,
        LibraryNotManaged,
        LibraryInS3,
        LibraryUnavailable,
        GameNotListed,
        GameFolderUnreadable,
        VersionNotListed,
        FilesImported,
        FilesGone,
        FilesAreLinked,
        FilesInUse,
        FilesChanging,
        TaskAlreadyRunning,
    ],
    touches_disk=True,
)
def delete_unimported_files(
    data: UnimportedFilesDeletion, actor: Actor, unimported_files: UnimportedFiles
) -> TaskStarted:
    """Start deleting a folder or archive that is not imported. It is kept in the trash for a while."""
    return TaskStarted(task_id=unimported_files.delete(actor, data))


@post(IGNORED, requires=Permission.SOURCES_UPDATE, raises=[LibraryUnknown, TooMuchIgnored])
def ignore_unimported_files(data: UnimportedFilesName, actor: Actor, unimported_files: UnimportedFiles) -> None:
    """Do not offer a folder or archive for import any more: the rules of its library ignore its name."""
    unimported_files.ignore(actor, data)


@delete(IGNORED, requires=Permission.SOURCES_UPDATE, raises=[LibraryUnknown])
def offer_unimported_files(data: UnimportedFilesName, actor: Actor, unimported_files: UnimportedFiles) -> None:
    """Offer a folder or archive for import again. Other rules of its library may still ignore it."""
    unimported_files.offer(actor, data)


ROUTES = (delete_unimported_files, ignore_unimported_files, offer_unimported_files)
