"""What the JSON columns of changes of files, and of what is in the trash, contain. The rules are those of `stored`."""

from collections.abc import Mapping
from typing import Any

from playdock.stored import Stored, TaskArguments


class MovedPath(Stored, frozen=True, kw_only=False):
    """The paths of a file or folder below the folders of its libraries, before and after a move."""

    source: str
    target: str


class PackedPlace(Stored, frozen=True):
    """An archive or installer that remains where it is: the id of its library, and the names of its game and version.

    The rules of the library ignore it when it has been unpacked.
    """

    library: str
    game: str
    version: str


class StoredFileChange(Stored, frozen=True):
    """How files change: ``file_changes.change``.

    ``target_library`` is the library to which they are moved. ``version`` is the version that they belong to, if it is
    not the whole game, ``target_game`` the game to which that is moved, and ``item`` what is restored or erased of the
    trash. ``title`` is the name of a game that may not be imported, and ``packed`` what is unpacked into another
    library.
    """

    paths: tuple[MovedPath, ...]
    target_library: str
    version: str | None = None
    target_game: str = ""
    item: str = ""
    title: str = ""
    packed: PackedPlace | None = None


class ChangeFilesArguments(TaskArguments, frozen=True):
    """Arguments of ``change:files``; ``settle`` only completes or undoes what was begun before."""

    change: str
    settle: bool = False


class EraseTrashArguments(TaskArguments, frozen=True):
    """Arguments of ``erase:trash``: the ids of what is erased."""

    items: tuple[str, ...]


class DeleteOldVersionsArguments(TaskArguments, frozen=True):
    """Arguments of ``delete:old-versions``: the ids of the versions, and how many of each platform are kept."""

    keep: int
    versions: tuple[str, ...]


class RemovedRows(Stored, frozen=True):
    """The rows of one table that were deleted together with others."""

    table: str
    rows: tuple[Mapping[str, Any], ...]


class ClearedReference(Stored, frozen=True):
    """A column of a row that referred to a deleted one, and became null. ``key`` is the primary key of the row."""

    table: str
    column: str
    key: Mapping[str, Any]
    value: str


class RestorableRows(Stored, frozen=True):
    """The rows of a deleted game or version: ``trash_items.removal``. It is empty if the game was deleted before."""

    removed: tuple[RemovedRows, ...] = ()
    cleared: tuple[ClearedReference, ...] = ()
