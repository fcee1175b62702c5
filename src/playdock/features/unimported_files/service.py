"""Putting files that are not imported into the trash, and ignoring them."""

from collections.abc import Callable

from msgspec import Struct

from playdock import stored
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.games import queries as game_queries
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.errors import LibraryUnknown, TooMuchIgnored
from playdock.domain.libraries.rules import MAX_IGNORED, ignoring, offering
from playdock.domain.libraries.service import rules_of
from playdock.domain.library_files import queries as change_queries
from playdock.domain.library_files.rules import place_id
from playdock.features.bulk_import.service import ImportPlan
from playdock.features.game_import.errors import GameNotListed
from playdock.features.library_files.changes import FileChanges
from playdock.features.library_files.errors import FilesChanging, FilesImported
from playdock.features.library_files.rules import ChangeKind, PlannedChange, renamed
from playdock.features.unimported_files.schemas import UnimportedFilesDeletion, UnimportedFilesName
from playdock.features.version_import.errors import VersionNotListed
from playdock.features.version_import.storage_errors import storage_errors_translated
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Game, Library
from playdock.storage.library_files import trash_folder
from playdock.stored import LibraryRules
from playdock.stored_file_changes import StoredFileChange


class UnimportedFiles(Struct, frozen=True):
    """Operations on games and versions of managed libraries that are not imported, whether they can be or not."""

    changes: FileChanges
    import_plan: ImportPlan

    def delete(self, actor: Actor, data: UnimportedFilesDeletion) -> str:
        """Start moving a game's folder, or one version in it, to the trash, and return the task's id.

        Raises:
            LibraryUnknown, LibraryNotManaged, LibraryInS3, LibraryUnavailable: Playdock does not change files there.
            GameNotListed, GameFolderUnreadable, VersionNotListed, FilesGone, FilesAreLinked: there is no such thing.
            FilesImported: it belongs to the store.
            FilesInUse, FilesChanging, TaskAlreadyRunning: not now.
        """
        actor.require(Permission.LIBRARY_WRITE)
        actor.require(Permission.IMPORT_VERSION)
        library = self.changes.managed(data.library)
        with self.changes.db.read() as session:
            game_id = folder_queries.owner_of_path(session, library.id, data.game)
            game = game_queries.find_game(session, game_id) if game_id else None
            if game and game.path != data.game:
                raise FilesImported
            # It was begun before the game was imported.
            if game and change_queries.change_of_game(session, place_id(library.id, data.game)):
                raise FilesChanging
            # The whole folder of an imported game belongs to it; of the versions in it, those that are imported.
            if game and (data.version is None or game_queries.version_of_name(session, game.id, data.version)):
                raise FilesImported
        path = self._path_of(data, library, game)
        if game and path == game.path:
            raise FilesImported
        parent, _, name = path.rpartition("/")
        change_id = new_id()
        names = self.changes.names_in(self.changes.folder_of(library), parent, name)
        paths = renamed(names, folder=parent, new_folder=trash_folder(change_id))
        title = game.name if game else data.game
        change = StoredFileChange(paths=paths, target_library=library.id, title=title)
        task_name = Message("files-delete-unimported", path=path)
        owner = game.id if game else place_id(library.id, data.game)
        return self.changes.begin(
            PlannedChange(ChangeKind.DELETE_UNIMPORTED, owner, library.id, task_name, change), change_id=change_id
        )

    def ignore(self, actor: Actor, data: UnimportedFilesName) -> None:
        """Let the rules of a library ignore a game that is not imported, or one version of a game.

        Raises:
            LibraryUnknown, TooMuchIgnored: there is no such library, or it ignores too many names.
        """
        actor.require(Permission.SOURCES_UPDATE)
        self._change_rules(data, ignoring)

    def offer(self, actor: Actor, data: UnimportedFilesName) -> None:
        """Undo `ignore`. Raises LibraryUnknown."""
        actor.require(Permission.SOURCES_UPDATE)
        self._change_rules(data, offering)

    def _change_rules(
        self, data: UnimportedFilesName, change: Callable[[LibraryRules, str, str], LibraryRules]
    ) -> None:
        with self.changes.db.write() as session:
            library_queries.lock(session, data.library)
            library = library_queries.find(session, data.library)
            if library is None:
                raise LibraryUnknown
            changed = change(rules_of(library), data.game, data.version or "")
            if len(changed.ignore) > MAX_IGNORED:
                raise TooMuchIgnored(MAX_IGNORED)
            library_queries.change(session, library.id, {"rules": stored.encode(changed)})
            # Its row has all versions that are offered.
            self.import_plan.discard_outdated(session, library.id, {data.game: self.changes.clock()})

    def _path_of(self, data: UnimportedFilesDeletion, library: Library, game: Game | None) -> str:
        """Return the path of what is deleted in the folder of its library."""
        backend = self.changes.backends.with_layout(library, game.layout if game else None)
        with storage_errors_translated(backend):
            if data.game not in backend.games():
                raise GameNotListed
            if data.version is None:
                return data.game
            if data.version not in backend.versions_of_listed(data.game):
                raise VersionNotListed
            return backend.location(data.game, data.version).name
