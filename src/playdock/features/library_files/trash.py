"""What is in the trash: listing, restoring and erasing it."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.layouts import shown_version
from playdock.domain.games import queries as game_queries
from playdock.domain.library_files import queries
from playdock.features.library_files import rules
from playdock.features.library_files.changes import FileChanges
from playdock.features.library_files.errors import (
    FilesGone,
    GameOfVersionDeleted,
    RestoredElsewhere,
    TrashItemUnknown,
)
from playdock.features.library_files.rules import ChangeKind, PlannedChange
from playdock.kit.messages import Message
from playdock.models import Library, TrashItem
from playdock.storage.library_files import trash_folder
from playdock.stored_file_changes import EraseTrashArguments, StoredFileChange
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue

ERASE_TRASH = "erase:trash"


class TrashedItem(Struct, frozen=True):
    """Something in the trash, its library, and when it is erased."""

    item: TrashItem
    library: Library
    expires: datetime


class Trash(Struct, frozen=True):
    """The trash of all managed libraries."""

    changes: FileChanges

    def list_all(self, actor: Actor) -> list[TrashedItem]:
        """Return everything in the trash, newest first."""
        actor.require(Permission.LIBRARY_WRITE)
        kept = self.changes.kept
        with self.changes.db.read() as session:
            return [TrashedItem(item, library, item.deleted + kept) for item, library in queries.items(session)]

    def restore(self, actor: Actor, item_id: str) -> str:
        """Put something in the trash back where it was, and return the task's id.

        Raises:
            TrashItemUnknown, LibraryNotManaged, LibraryInS3, GameOfVersionDeleted, RestoredElsewhere: it cannot be
                restored.
            PlaceOccupied, FilesGone, FilesChanging, TaskAlreadyRunning: not now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        with self.changes.db.read() as session:
            item = queries.find_item(session, item_id)
            if item is None:
                raise TrashItemUnknown
            game = game_queries.find_game(session, item.game_id)
            same = game_queries.version_of_name(session, item.game_id, item.version_name or "")
        kind = rules.restoration_of(item.version_id, item.version_name)
        if kind is ChangeKind.RESTORE_PACKED:
            folder = item.paths[0].rpartition("/")[0]
            if folder and game:
                # The game may have been renamed; what was in the folder of a version returns into that.
                _, _, inside = folder.partition("/")
                return self._begin(kind, item, game.library_id, folder=f"{game.path}/{inside}" if inside else game.path)
            return self._begin(kind, item, item.library_id, folder=folder)
        if (game is None) == (kind is ChangeKind.RESTORE_VERSION):
            raise RestoredElsewhere if game else GameOfVersionDeleted
        if same:
            raise RestoredElsewhere
        # A version that was beside the folder of its game returns there.
        is_inside = game is not None and all("/" in path for path in item.paths)
        folder = game.path if game and is_inside else ""
        return self._begin(kind, item, game.library_id if game else item.library_id, folder=folder)

    def erase(self, actor: Actor, item_ids: Sequence[str]) -> str:
        """Start erasing some of what is in the trash. What is being restored is left out."""
        actor.require(Permission.LIBRARY_WRITE)
        task = NewTask(
            task_type=ERASE_TRASH,
            name=Message("files-erase"),
            subject=ERASE_TRASH,
            queue=Queue.LOW,
            acls=(Permission.LIBRARY_WRITE, Permission.TASK_READ),
            arguments=EraseTrashArguments(items=tuple(item_ids)),
        )
        with self.changes.db.write() as session:
            task_id = enqueue(session, task, at=self.changes.clock())
        self.changes.notify_runner()
        return task_id

    def _begin(self, kind: ChangeKind, item: TrashItem, library_id: str, *, folder: str) -> str:
        """Start moving the files of an item into a folder of a library."""
        source, target = self.changes.managed(item.library_id), self.changes.managed(library_id)
        names = [path.rpartition("/")[2] for path in item.paths]
        paths = rules.renamed(names, folder=trash_folder(item.id), new_folder=folder)
        place = self.changes.folder_of(target)
        if folder and not place.has(folder):
            raise FilesGone
        self.changes.require_free(place, paths)
        change = StoredFileChange(paths=paths, target_library=target.id, version=item.version_id, item=item.id)
        task_name = Message("files-restore-game", game=item.game_name)
        if item.version_name:
            task_name = Message("files-restore", game=item.game_name, version=shown_version(item.version_name))
        planned = PlannedChange(kind, item.game_id, source.id, task_name, change, takes_long=source.id != target.id)
        return self.changes.begin(planned)
