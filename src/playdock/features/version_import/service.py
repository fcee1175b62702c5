"""Looking at what versions there are, guessing their commands, and starting their import."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.content.errors import UnusableVersion, VersionChanged
from playdock.content.guesses import Candidate, Guess, guess, shortlist
from playdock.content.naming import version_key
from playdock.content.programs import HEAD_SIZE, Platform
from playdock.db.database import Database
from playdock.features.game_import.errors import GameFolderUnreadable, LibraryOffline
from playdock.features.games import queries as game_queries
from playdock.features.games.errors import GameUnknown
from playdock.features.installations.service import Installations, Revision, chain_of
from playdock.features.libraries.service import backend_of
from playdock.features.version_import import rules
from playdock.features.version_import.errors import (
    NoBaseVersion,
    VersionAlreadyImported,
    VersionNotListed,
    VersionUnusable,
)
from playdock.features.version_import.schemas import VersionImportDraft
from playdock.jobs import queries as job_queries
from playdock.jobs.drafts import Lane, TaskDraft
from playdock.jobs.enqueueing import enqueue
from playdock.jobs.errors import TaskAlreadyRunning
from playdock.kit.clock import Clock
from playdock.kit.errors import InvalidInput
from playdock.kit.secrets import new_id
from playdock.models import Game, Library, Version
from playdock.storage.backends import GameUnreadable, LibraryBackend, NotListed, PlaceUnusable
from playdock.storage.entries import Tree

GROUP = "import:version"
_EXECUTABLE = 0o111


@dataclass(frozen=True, slots=True)
class Place:
    """A game and where it lies."""

    game: Game
    library: Library

    @property
    def backend(self) -> LibraryBackend:
        return backend_of(self.library)


@dataclass(frozen=True, slots=True)
class VersionImports:
    """The way from a folder or archive to a version."""

    db: Database
    clock: Clock
    installations: Installations
    wake: Callable[[], None]

    def unimported(self, actor: Actor, game_id: str) -> list[str]:
        """List the versions on disk that have not been imported, in their natural order.

        Raises:
            GameUnknown: there is no such game.
            LibraryOffline, GameFolderUnreadable: its library or its folder there cannot be read.
        """
        actor.require(Acl.IMPORT_VERSION)
        place = self._place(game_id)
        with self.db.read() as session:
            imported = {version.name for version in game_queries.versions_of(session, game_id)}
        with explained():
            found = place.backend.versions(place.game.path)
        return sorted((name for name in found if name not in imported), key=version_key)

    def preload(self, actor: Actor, game_id: str, version: str) -> list[Guess]:
        """Guess what launches a version or sets it up.

        Raises:
            GameUnknown, LibraryOffline, GameFolderUnreadable, VersionNotListed, VersionUnusable: there is nothing to
                look at.
        """
        actor.require(Acl.IMPORT_VERSION)
        place = self._place(game_id)
        with explained():
            tree = place.backend.open(place.game.path, version)
            return guesses_of(tree, game=place.game.name, folders=(place.game.path, version))

    def start(self, actor: Actor, draft: VersionImportDraft) -> str:
        """Start an import and give the task's id.

        Raises:
            InvalidInput: a command is missing, or is no file of the version.
            GameUnknown, LibraryOffline, GameFolderUnreadable, VersionNotListed, VersionUnusable: there is nothing to
                import.
            VersionAlreadyImported, NoBaseVersion, LayerLost: it cannot be imported now.
            TaskAlreadyRunning: it is being imported.
        """
        actor.require(Acl.IMPORT_VERSION)
        return self.begin(draft)

    def begin(self, draft: VersionImportDraft) -> str:
        """Start an import on behalf of whoever was allowed to, and give the task's id. Raises as `start` does."""
        if faults := rules.missing_commands(draft):
            raise InvalidInput(faults)
        place = self._place(draft.id)
        with explained():
            tree = place.backend.open(place.game.path, draft.version)
        platform = Platform.parse(draft.platform)
        with self.db.read() as session:
            base = game_queries.newest_of_platform(session, draft.id, platform) if draft.delta else None
            chain = chain_of(session, base)
            known = game_queries.version_of_name(session, draft.id, draft.version)
        if known:
            raise VersionAlreadyImported
        if draft.delta and base is None:
            raise NoBaseVersion(platform)
        self._refuse_absent_commands(draft, tree, chain)
        with self.db.write() as session:
            base = _settled_base(session, draft.id, platform) if draft.delta else None
            task = _task_draft(place.game, draft, platform=platform, base=base)
            task_id = enqueue(session, task, at=self.clock())
            if game_queries.version_of_name(session, draft.id, draft.version):
                raise VersionAlreadyImported
        self.wake()
        return task_id

    def _place(self, game_id: str) -> Place:
        with self.db.read() as session:
            found = game_queries.find_library_of(session, game_id)
        if found is None:
            raise GameUnknown
        return Place(*found)

    def _refuse_absent_commands(self, draft: VersionImportDraft, tree: Tree, chain: tuple[Revision, ...]) -> None:
        named = rules.commands(draft)
        with explained():
            missing = {field: path for field, path in named.items() if not tree.has(path)}
        if missing and chain:
            below = rules.paths_of(self.installations.stack(chain).merge())
            missing = {field: path for field, path in missing.items() if path not in below}
        if missing:
            raise InvalidInput(rules.absences(missing))


@contextmanager
def explained() -> Iterator[None]:
    """Say what is wrong with a place or a version in the service's own errors."""
    try:
        yield
    except GameUnreadable as reason:
        raise GameFolderUnreadable(str(reason)) from None
    except PlaceUnusable as reason:
        raise LibraryOffline(str(reason)) from None
    except (NotListed, FileNotFoundError, NotADirectoryError):
        raise VersionNotListed from None
    except (UnusableVersion, VersionChanged) as reason:
        raise VersionUnusable(str(reason)) from None
    except OSError as error:
        raise LibraryOffline(f"The storage failed while the version was looked at: {error.strerror}.") from None


def subject_of(game_id: str, version: str) -> str:
    """Give what a task that reads a version works on, so that only one does at a time."""
    return f"version:{game_id}:{version}"


def guesses_of(tree: Tree, *, game: str, folders: Sequence[str]) -> list[Guess]:
    """Guess what launches a version or sets it up, the likeliest first.

    Raises:
        OSError, UnusableVersion: the version cannot be read.
    """
    files = [Candidate(file.path, bool(file.mode & _EXECUTABLE)) for file in tree.names()]
    heads = {}
    for path in shortlist(files, game=game, folders=folders):
        try:
            heads[path] = tree.head(path, length=HEAD_SIZE)
        except (OSError, UnusableVersion, VersionChanged):
            continue
    return guess(files, heads=heads, game=game, folders=folders)


def _settled_base(session: Session, game_id: str, platform: Platform) -> Version | None:
    """Give what a delta goes over, unless another version that it could go over is on its way."""
    game_queries.hold_game(session, game_id)
    for task in job_queries.living_of(session, GROUP):
        if task.arguments["game"] == game_id and task.arguments["platform"] == platform:
            raise TaskAlreadyRunning(task.id)
    return game_queries.newest_of_platform(session, game_id, platform)


def _task_draft(game: Game, draft: VersionImportDraft, *, platform: Platform, base: Version | None) -> TaskDraft:
    arguments: dict[str, Any] = {
        "game": game.id,
        "version": new_id(),
        "name": draft.version,
        "platform": platform.value,
        "base": base.id if base else None,
        "onlySetup": draft.only_setup,
        "launch": rules.command_path(draft.launch),
        "launchArgs": draft.launch_args,
        "setup": rules.command_path(draft.setup),
        "setupArgs": draft.setup_args,
        "compatId": draft.compat_id,
    }
    return TaskDraft(
        group=GROUP,
        name=f"Import {game.name} {draft.version}",
        subject=subject_of(game.id, draft.version),
        lane=Lane.HEAVY,
        acls=(Acl.IMPORT_VERSION,),
        arguments=arguments,
    )
