"""Renaming, moving and deleting games and versions with their files."""

from msgspec import UNSET, Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.archive_names import has_several_files
from playdock.domain.games import queries as game_queries
from playdock.features.editing.errors import VersionIsBase
from playdock.features.library_files import rules
from playdock.features.library_files.changes import FileChanges, GamePlace
from playdock.features.library_files.errors import (
    FilesGone,
    VersionIsWholeGame,
    VersionNotRenamable,
)
from playdock.features.library_files.rules import ChangeKind, PlannedChange
from playdock.features.library_files.schemas import GameFolderChange, VersionPlaceChange
from playdock.kit.errors import InvalidInput
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Version
from playdock.stored_file_changes import MovedPath, StoredFileChange


class LibraryFiles(Struct, frozen=True):
    """Operations on the files of managed libraries. Each of them returns the id of the task that carries it out."""

    changes: FileChanges

    def change_folder(self, actor: Actor, game_id: str, data: GameFolderChange) -> str:
        """Rename the folder of a game, or move it to another managed library.

        Raises:
            GameUnknown, LibraryUnknown, LibraryNotManaged, LibraryInS3, InvalidInput: it cannot be moved there.
            PlaceOccupied, FilesGone, FilesAreLinked, FilesInUse, FilesChanging, TaskAlreadyRunning: not now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.GAME_UPDATE)
        place = self.changes.place_of(game_id)
        target = place.library if data.library is UNSET else self.changes.managed(data.library)
        old, new = place.game.path, place.game.path if data.path is UNSET else data.path
        errors = list(rules.game_name_errors(new, old=old, backend=place.layout)) if data.path is not UNSET else []
        if errors or (target.id == place.library.id and new == old):
            raise InvalidInput(errors or rules.unchanged())
        if target.backend != place.library.backend:
            raise InvalidInput(rules.other_layout())
        if new != old and has_several_files(old):
            raise VersionNotRenamable
        is_moved = target.id != place.library.id
        names = self.changes.names_of(place) if is_moved else self.changes.names_in(place.folder, "", old)
        paths = tuple(MovedPath(name, new if name == old else name) for name in names)
        self.changes.require_free(self.changes.folder_of(target), paths)
        change = StoredFileChange(paths=paths, target_library=target.id)
        name = Message("files-move-game", game=place.game.name, path=new, library=target.name)
        return self.changes.begin(
            PlannedChange(ChangeKind.MOVE_GAME, game_id, place.library.id, name, change, is_moved)
        )

    def change_version(self, actor: Actor, version_id: str, data: VersionPlaceChange) -> str:
        """Rename the folder or archive of a version, or move it to another game.

        Raises:
            VersionUnknown, GameUnknown, LibraryNotManaged, LibraryInS3, InvalidInput, VersionNotRenamable,
                VersionIsWholeGame, VersionIsBase: it cannot be renamed, or moved there.
            PlaceOccupied, FilesGone, FilesAreLinked, FilesInUse, FilesChanging, TaskAlreadyRunning: not now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.VERSION_UPDATE)
        version, place = self.changes.place_of_version(version_id)
        name = version.name if data.name is UNSET else data.name
        target = place if data.game is UNSET else self.changes.place_of(data.game)
        is_moved = target.game.id != place.game.id
        if name != version.name or not is_moved:
            _require_renamable(version, place, name)
        if is_moved:
            self._require_movable(version, place, target)
        folder = place.folder_of(version)
        names = self.changes.names_in(place.folder, folder, version.name)
        paths = rules.renamed(
            names,
            folder=folder,
            new_folder=target.game.path if is_moved else folder,
            new_name=name if name != version.name else "",
        )
        self.changes.require_free(target.folder, paths)
        change = StoredFileChange(
            paths=paths,
            target_library=target.library.id,
            version=version_id,
            target_game=target.game.id if is_moved else "",
        )
        task_name = Message("files-rename-version", game=place.game.name, version=version.name, name=name)
        if is_moved:
            task_name = Message(
                "files-move-version", game=place.game.name, version=version.name, other=target.game.name
            )
        kind = ChangeKind.MOVE_VERSION if is_moved else ChangeKind.RENAME_VERSION
        takes_long = target.library.id != place.library.id
        return self.changes.begin(PlannedChange(kind, place.game.id, place.library.id, task_name, change, takes_long))

    def _require_movable(self, version: Version, place: GamePlace, target: GamePlace) -> None:
        """Raise VersionIsWholeGame, FilesGone, InvalidInput or VersionIsBase if another game cannot have a version."""
        if place.is_flat and not version.beside:
            raise VersionIsWholeGame
        if not target.folder.has(target.game.path):
            raise FilesGone
        if errors := list(rules.other_game_errors(delta=version.delta, flat=target.is_flat)):
            raise InvalidInput(errors)
        with self.changes.db.read() as session:
            if deltas := game_queries.deltas_over(session, version.id):
                raise VersionIsBase(deltas)

    def delete_game(self, actor: Actor, game_id: str, typed: str) -> str:
        """Delete a game and put its files into the trash.

        Raises:
            GameUnknown, LibraryNotManaged, LibraryInS3, InvalidInput: its files must not be deleted.
            FilesGone, FilesAreLinked, FilesInUse, FilesChanging, TaskAlreadyRunning: not now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.GAME_DELETE)
        if errors := rules.confirmation_errors(typed, name=self.changes.place_of(game_id).game.name):
            raise InvalidInput(errors)
        change_id = new_id()
        return self.changes.begin(self.changes.planned_game_deletion(game_id, change_id), change_id=change_id)

    def delete_version(self, actor: Actor, version_id: str, typed: str) -> str:
        """Delete a version and put its files into the trash.

        Raises:
            VersionUnknown, LibraryNotManaged, LibraryInS3, InvalidInput, VersionIsWholeGame, VersionIsBase: its files
                must not be deleted.
            FilesGone, FilesAreLinked, FilesInUse, FilesChanging, TaskAlreadyRunning: not now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.VERSION_DELETE)
        version, place = self.changes.place_of_version(version_id)
        if errors := rules.confirmation_errors(typed, name=version.name):
            raise InvalidInput(errors)
        change_id = new_id()
        return self.changes.begin(self.changes.planned_deletion(version, place, change_id), change_id=change_id)


def _require_renamable(version: Version, place: GamePlace, name: str) -> None:
    """Raise VersionNotRenamable or InvalidInput if a version cannot get a name."""
    if (place.is_flat and not version.beside) or has_several_files(version.name):
        raise VersionNotRenamable
    if errors := list(rules.version_name_errors(name, old=version.name)):
        raise InvalidInput(errors)
    if name == version.name:
        raise InvalidInput(rules.unchanged())
