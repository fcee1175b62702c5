"""Changing the files of managed libraries, and ``/api/v1/admin/trash``."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import GameUnknown, VersionUnknown
from playdock.domain.libraries.errors import LibraryNotManaged, LibraryUnknown
from playdock.features.editing.errors import VersionIsBase
from playdock.features.game_import.schemas import TaskStarted
from playdock.features.library_files.errors import (
    FilesAreLinked,
    FilesChanging,
    FilesGone,
    FilesInUse,
    GameOfVersionDeleted,
    LibraryInS3,
    PlaceOccupied,
    RestoredElsewhere,
    TrashItemUnknown,
    VersionIsWholeGame,
    VersionNotRenamable,
)
from playdock.features.library_files.schemas import (
    FilesDeletion,
    GameFolderChange,
    TrashItemResponse,
    TrashSelection,
    VersionPlaceChange,
)
from playdock.features.library_files.service import LibraryFiles
from playdock.features.library_files.trash import Trash, TrashedItem
from playdock.kit.clock import timestamp
from playdock.server.routing import delete, get, patch, post
from playdock.tasks.errors import TaskAlreadyRunning

TRASH = "/api/v1/admin/trash"
_REFUSED = (LibraryNotManaged, LibraryInS3, FilesGone, FilesAreLinked, FilesInUse, FilesChanging, TaskAlreadyRunning)


@patch(
    "/api/v1/admin/game/{game_id:str}/files",
    requires=(Permission.LIBRARY_WRITE, Permission.GAME_UPDATE),
    status=202,
    raises=[GameUnknown, LibraryUnknown, VersionNotRenamable, PlaceOccupied, *_REFUSED],
    touches_disk=True,
)
def move_game_files(game_id: str, data: GameFolderChange, actor: Actor, library_files: LibraryFiles) -> TaskStarted:
    """Start renaming a game's folder, or moving it to another library that Playdock manages. The game is the same."""
    return TaskStarted(task_id=library_files.change_folder(actor, game_id, data))


@patch(
    "/api/v1/admin/version/{version_id:str}/files",
    requires=(Permission.LIBRARY_WRITE, Permission.VERSION_UPDATE),
    status=202,
    raises=[
        VersionUnknown,
        GameUnknown,
        VersionNotRenamable,
        VersionIsWholeGame,
        VersionIsBase,
        PlaceOccupied,
        *_REFUSED,
    ],
    touches_disk=True,
)
def move_version_files(
    version_id: str, data: VersionPlaceChange, actor: Actor, library_files: LibraryFiles
) -> TaskStarted:
    """Start renaming a version's folder or archive, or moving it to another game. The version is the same.

    It becomes the newest version of that game. What has been noted about it follows: its release notes, the times for
    which it was played, and the devices that have it.
    """
    return TaskStarted(task_id=library_files.change_version(actor, version_id, data))


@delete(
    "/api/v1/admin/game/{game_id:str}/files",
    requires=(Permission.LIBRARY_WRITE, Permission.GAME_DELETE),
    status=202,
    raises=[GameUnknown, *_REFUSED],
    touches_disk=True,
)
def delete_game_files(game_id: str, data: FilesDeletion, actor: Actor, library_files: LibraryFiles) -> TaskStarted:
    """Start deleting a game with its files, which are kept in the trash for a while. The body has the game's name."""
    return TaskStarted(task_id=library_files.delete_game(actor, game_id, data.name))


@delete(
    "/api/v1/admin/version/{version_id:str}/files",
    requires=(Permission.LIBRARY_WRITE, Permission.VERSION_DELETE),
    status=202,
    raises=[VersionUnknown, VersionIsWholeGame, VersionIsBase, *_REFUSED],
    touches_disk=True,
)
def delete_version_files(
    version_id: str, data: FilesDeletion, actor: Actor, library_files: LibraryFiles
) -> TaskStarted:
    """Start deleting a version with its files, which are kept in the trash for a while. The body has its name."""
    return TaskStarted(task_id=library_files.delete_version(actor, version_id, data.name))


@get(TRASH, requires=Permission.LIBRARY_WRITE)
def list_trash(actor: Actor, trash: Trash) -> list[TrashItemResponse]:
    """List what is in the trash of all libraries, newest first."""
    return [_response(each) for each in trash.list_all(actor)]


@post(
    f"{TRASH}/{{item_id:str}}/restoration",
    requires=Permission.LIBRARY_WRITE,
    status=202,
    raises=[TrashItemUnknown, GameOfVersionDeleted, RestoredElsewhere, LibraryUnknown, PlaceOccupied, *_REFUSED],
    touches_disk=True,
)
def restore_from_trash(item_id: str, actor: Actor, trash: Trash) -> TaskStarted:
    """Start putting a game or version back where it was, with everything that belongs to it."""
    return TaskStarted(task_id=trash.restore(actor, item_id))


@delete(TRASH, requires=Permission.LIBRARY_WRITE, status=202, raises=[TaskAlreadyRunning])
def erase_trash(data: TrashSelection, actor: Actor, trash: Trash) -> TaskStarted:
    """Start erasing some of what is in the trash. It cannot be restored then."""
    return TaskStarted(task_id=trash.erase(actor, data.items))


def _response(each: TrashedItem) -> TrashItemResponse:
    item = each.item
    return TrashItemResponse(
        id=item.id,
        library=item.library_id,
        library_name=each.library.name,
        game_id=item.game_id,
        game_name=item.game_name,
        version_id=item.version_id,
        version_name=item.version_name,
        size=item.size,
        deleted=timestamp(item.deleted),
        expires=timestamp(each.expires),
    )


ROUTES = (
    move_game_files,
    move_version_files,
    delete_game_files,
    delete_version_files,
    list_trash,
    restore_from_trash,
    erase_trash,
)
