"""Listing versions on disk, guessing their commands, and starting imports."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy.orm import Session

from playdock import stored
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.guesses import LaunchGuess
from playdock.content.layouts import shown_version
from playdock.content.naming import version_key
from playdock.content.programs import Platform
from playdock.db.database import Database
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import GameUnknown, VersionUnknown
from playdock.domain.installations.service import Installations, VersionRevision, chain_of
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.rules import not_ignored
from playdock.domain.libraries.service import GameFiles, LibraryBackends, rules_of
from playdock.domain.library_files import queries as change_queries
from playdock.domain.library_files.rules import place_id
from playdock.features.version_import import queries, rules
from playdock.features.version_import.errors import (
    BaseNotNewest,
    NoBaseVersion,
    UnlikeNewest,
    VersionAlreadyImported,
    VersionNotListed,
    VersionUnusable,
)
from playdock.features.version_import.proposing import guesses_of, propose
from playdock.features.version_import.schemas import VersionImportRequest
from playdock.features.version_import.storage_errors import storage_errors_translated
from playdock.kit.clock import Clock
from playdock.kit.errors import InvalidInput
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.models import Game, Library, Version
from playdock.storage.backends import LibraryBackend
from playdock.storage.entries import Tree
from playdock.stored import (
    ImportVersionArguments,
    ReimportVersionArguments,
    TaskArguments,
    version_subject,
)
from playdock.tasks import queries as task_queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import TaskAlreadyRunning
from playdock.tasks.new_task import NewTask, Queue

IMPORT_VERSION = "import:version"
REIMPORT = "reimport:version"
NEW_VERSIONS = "import:versions"


class GameLocation(Struct, frozen=True):
    """A game, its library, and what opens its versions."""

    game: Game
    library: Library
    files: GameFiles

    @property
    def backend(self) -> LibraryBackend:
        """The backend that reads the game's folder."""
        return self.files.backend


class VersionImports(Struct, frozen=True):
    """Operations on importing versions."""

    db: Database
    clock: Clock
    installations: Installations
    backends: LibraryBackends
    notify_runner: Callable[[], None]

    def unimported(self, actor: Actor, game_id: str) -> list[str]:
        """Return the versions on disk that have not been imported, in natural order, but none that is being copied.

        Those that the rules of the library ignore are no versions either.

        Raises:
            GameUnknown: no game has this id.
            LibraryUnavailable, GameFolderUnreadable: its library or its folder cannot be read.
        """
        actor.require(Permission.IMPORT_VERSION)
        location = self._find_location(game_id)
        with self.db.read() as session:
            imported = {version.name for version in game_queries.versions_of(session, game_id)}
            changing = found_queries.changing(session, location.game.library_id, at=self.clock())
        imported |= {place.version for place in changing if place.path == location.game.path}
        offered = not_ignored(self.listed(game_id), rules_of(location.library), game=location.game.path)
        return sorted((name for name in offered if name not in imported), key=version_key)

    def listed(self, game_id: str) -> Sequence[str]:
        """Return the versions in the folder of a game; raises as `unimported`."""
        location = self._find_location(game_id)
        with storage_errors_translated(location.backend):
            return location.backend.versions(location.game.path)

    def preload(self, actor: Actor, game_id: str, version: str) -> list[LaunchGuess]:
        """Guess the commands of a version. Raises as `start` if there is nothing to look at."""
        actor.require(Permission.IMPORT_VERSION)
        location = self._find_location(game_id)
        with storage_errors_translated(location.backend):
            tree = location.backend.open(location.game.path, version)
            return guesses_of(tree, game=location.game.name, folders=(location.game.path, version))

    def failure(self, actor: Actor, game_id: str, version: str) -> str | None:
        """Return the id of the task that failed to import a version, None if the last one did not fail."""
        actor.require(Permission.IMPORT_VERSION)
        with self.db.read() as session:
            task = task_queries.last_on(session, version_subject(game_id, version))
        return task.id if task and task.ended and not (task.success or task.cancelled) else None

    def start(self, actor: Actor, data: VersionImportRequest) -> str:
        """Start an import and return the task's id.

        Raises:
            InvalidInput: a command is missing, or is not a file of the version.
            GameUnknown, LibraryUnavailable, GameFolderUnreadable, VersionNotListed, VersionUnusable: nothing to
                import.
            VersionAlreadyImported, NoBaseVersion, LayerMissing: it cannot be imported now.
            TaskAlreadyRunning: it is already being imported.
        """
        actor.require(Permission.IMPORT_VERSION)
        return self.begin(data)

    def begin(self, data: VersionImportRequest, *, base_name: str | None = None) -> str:
        """Start an import that was already authorized, and return the task's id. Raises the same errors as `start`.

        A delta is based on the newest version for its platform, which must be the one with ``base_name`` if it is
        given.

        Raises:
            BaseNotNewest: it is another one.
        """
        if faults := rules.missing_commands(data):
            raise InvalidInput(faults)
        location = self._find_location(data.id)
        with storage_errors_translated(location.backend):
            self._require_one_version(location.library, data.version, beside=data.beside)
            tree = location.files.open(data)
        platform = Platform.parse(data.platform)
        with self.db.read() as session:
            _refuse_imported(session, location.game, data)
            base = _find_base(session, data.id, platform, name=base_name) if data.delta else None
            chain = chain_of(session, base)
        with storage_errors_translated(location.backend):
            self._check_commands(data, tree, chain)
        with self.db.write() as session:
            if data.beside:
                require_unchanged(session, location.library, data.version)
            base = _lock_base(session, data.id, platform, name=base_name) if data.delta else None
            task = _new_task(location.game, data, platform=platform, base=base)
            task_id = enqueue(session, task, at=self.clock())
            _refuse_imported(session, location.game, data)
        self.notify_runner()
        return task_id

    def start_new(self, actor: Actor) -> str:
        """Start importing the new versions of all games, and return the task's id.

        Raises:
            TaskAlreadyRunning: this is being done already.
        """
        actor.require(Permission.IMPORT_VERSION)
        new_task = NewTask(
            task_type=NEW_VERSIONS,
            name=Message("import-new-versions"),
            subject=NEW_VERSIONS,
            queue=Queue.NETWORK,
            acls=(Permission.IMPORT_VERSION,),
            arguments=TaskArguments(),
        )
        with self.db.write() as session:
            task_id = enqueue(session, new_task, at=self.clock())
        self.notify_runner()
        return task_id

    def start_beside(self, actor: Actor, game_id: str, folder: str) -> str:
        """Start importing a folder or archive of a game's library as a version of the game, and return the task's id.

        Its commands are found as by `begin_new`. Raises the same errors as `start`.
        """
        actor.require(Permission.IMPORT_VERSION)
        return self.begin_new(game_id, folder, beside=True)

    def begin_new(self, game_id: str, version: str, *, beside: bool = False) -> str:
        """Start importing a version with the commands of the newest one, or if it has others, with likely ones.

        Raises the same errors as `start`.
        """
        location = self._find_location(game_id)
        with storage_errors_translated(location.backend):
            tree = self._open_new(location, version, beside=beside)
            if (request := self._like_previous(location, tree, version)) is None:
                proposal = propose(tree, version, game=location.game.name, folders=(location.game.path, version))
                if proposal.remark_code:
                    raise VersionUnusable(Message(proposal.remark_code, **proposal.remark_parameters))
                request = rules.request_of(game_id, proposal)
        return self.begin(replace(request, beside=beside))

    def begin_same(self, game_id: str, version: str, *, beside: bool = False) -> str:
        """Start importing a version with the commands of the newest one for its platform, as an update.

        Raises `UnlikeNewest` if it does not have these or come after that one, and the same errors as `start`.
        """
        location = self._find_location(game_id)
        with self.db.read() as session:
            newest = rules.newest_by_platform(game_queries.versions_of(session, game_id))
        new = rules.NameOnDisk(version, beside)
        older = [each for each in newest if rules.comes_after(new, each, game=location.game.path)]
        with storage_errors_translated(location.backend):
            tree = self._open_new(location, version, beside=beside)
            request = next(filter(None, (rules.request_after(each, version, tree.has) for each in older)), None)
            reason = rules.why_unlike(newest, older, tree.has)
        if request is None:
            raise UnlikeNewest(reason)
        return self.begin(replace(request, beside=beside))

    def _open_new(self, location: GameLocation, version: str, *, beside: bool) -> Tree:
        """Open a version that is to be imported, and that is listed unless it is beside the folder of its game.

        Raises VersionNotListed, or VersionUnusable if it is not complete.
        """
        self._require_one_version(location.library, version, beside=beside)
        tree = location.files.open_listed(rules.NameOnDisk(version, beside))
        if reason := rules.incompleteness([file.path for file in tree.names()]):
            raise VersionUnusable(reason)
        return tree

    def _require_one_version(self, library: Library, version: str, *, beside: bool) -> None:
        """Raise VersionNotListed if what is beside the folder of its game is not there or has several versions."""
        if beside and not self.backends.has_one_version(library, version):
            raise VersionNotListed

    def games_being_imported(self) -> set[str]:
        """Return the ids of the games of which versions are being imported; for tasks only."""
        with self.db.read() as session:
            tasks = task_queries.active_tasks(session, IMPORT_VERSION)
            return {stored.decode(task.arguments, stored.ImportVersionArguments).game for task in tasks}

    def _like_previous(self, location: GameLocation, tree: Tree, version: str) -> VersionImportRequest | None:
        """Return the request that imports a version like the newest one, if it has the same commands."""
        with self.db.read() as session:
            versions = game_queries.versions_of(session, location.game.id)
        return rules.request_after(versions[-1], version, tree.has) if versions else None

    def reimport(self, actor: Actor, version_id: str) -> str:
        """Start re-importing a version in place, and return the task's id.

        Raises:
            VersionUnknown: no version has this id.
            LibraryUnavailable, GameFolderUnreadable, VersionNotListed, VersionUnusable: it cannot be read.
            TaskAlreadyRunning: it is already being imported.
        """
        actor.require(Permission.IMPORT_VERSION)
        with self.db.read() as session:
            current = queries.find_version_in_place(session, version_id)
        if current is None:
            raise VersionUnknown
        files = self.backends.files_of(current.game, current.library)
        with storage_errors_translated(files.backend):
            files.open(current.version)
        with self.db.write() as session:
            task_id = enqueue(session, new_reimport(current.game, current.version), at=self.clock())
        self.notify_runner()
        return task_id

    def _find_location(self, game_id: str) -> GameLocation:
        with self.db.read() as session:
            found = game_queries.find_library_of(session, game_id)
        if found is None:
            raise GameUnknown
        game, library = found
        return GameLocation(game, library, self.backends.files_of(game, library))

    def _check_commands(self, data: VersionImportRequest, tree: Tree, chain: tuple[VersionRevision, ...]) -> None:
        missing = {field: path for field, path in rules.commands(data).items() if not tree.has(path)}
        if missing and chain:
            below = rules.present(set(missing.values()), self.installations.stack(chain).merge())
            missing = {field: path for field, path in missing.items() if path not in below}
        if missing:
            raise InvalidInput(rules.absences(missing))


def _refuse_imported(session: Session, game: Game, data: VersionImportRequest) -> None:
    """Raise VersionAlreadyImported if the game has the version, or its folder belongs to any game."""
    is_taken = data.beside and folder_queries.owner_of_path(session, game.library_id, data.version)
    if is_taken or game_queries.version_of_name(session, game.id, data.version):
        raise VersionAlreadyImported


def require_unchanged(session: Session, library: Library, folder: str) -> None:
    """Lock a library, so that no change of a folder that is not imported begins, and raise an error if one has."""
    library_queries.lock(session, library.id)
    if change := change_queries.change_of_game(session, place_id(library.id, folder)):
        raise TaskAlreadyRunning(change.task_id)


def _lock_base(session: Session, game_id: str, platform: Platform, *, name: str | None) -> Version:
    """Return the base of a new delta. Raises TaskAlreadyRunning if another possible base is being imported."""
    game_queries.lock_game(session, game_id)
    for task in task_queries.active_tasks(session, IMPORT_VERSION):
        arguments = stored.decode(task.arguments, ImportVersionArguments)
        if (arguments.game, arguments.platform) == (game_id, platform.value):
            raise TaskAlreadyRunning(task.id)
    return _find_base(session, game_id, platform, name=name)


def _find_base(session: Session, game_id: str, platform: Platform, *, name: str | None) -> Version:
    """Return the newest version for a platform. Raises BaseNotNewest if it must have another name."""
    base = game_queries.newest_of_platform(session, game_id, platform)
    if base is None:
        raise NoBaseVersion(platform)
    if name is not None and name != base.name:
        raise BaseNotNewest(name, newest=base.name)
    return base


def _new_task(game: Game, data: VersionImportRequest, *, platform: Platform, base: Version | None) -> NewTask:
    arguments = ImportVersionArguments(
        game=game.id,
        version=new_id(),
        name=data.version,
        platform=platform.value,
        beside=data.beside,
        base=base.id if base else None,
        only_setup=data.only_setup,
        launch=rules.command_path(data.launch),
        launch_args=data.launch_args,
        setup=rules.command_path(data.setup),
        setup_args=data.setup_args,
        compat_id=data.compat_id,
    )
    label = rules.label_of(game.path, data.version, {})
    return NewTask(
        task_type=IMPORT_VERSION,
        name=Message("import-version", game=game.name, version=shown_version(data.version, label)),
        subject=version_subject(game.id, data.version),
        queue=Queue.CPU,
        acls=(Permission.IMPORT_VERSION,),
        arguments=arguments,
    )


def new_reimport(game: Game, version: Version, *, name: str = "") -> NewTask:
    """Return the task that re-imports a version in place; ``name`` is the one that it has by then, if it differs."""
    name = name or version.name
    return NewTask(
        task_type=REIMPORT,
        name=Message("reimport-version", game=game.name, version=shown_version(name, version.label)),
        subject=version_subject(game.id, name),
        queue=Queue.CPU,
        acls=(Permission.IMPORT_VERSION,),
        arguments=ReimportVersionArguments(version=version.id),
    )
