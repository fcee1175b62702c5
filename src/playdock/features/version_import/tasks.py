"""The tasks that import and re-import versions."""

import os
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.content.earlier import EarlierResults
from playdock.content.errors import UnreadableRecord, UnusableVersion, VersionChanged
from playdock.content.layers import Installation
from playdock.content.layouts import DEFAULT_VERSION
from playdock.content.records import Checkpoint, FileRecord, Layer
from playdock.domain.events import queries as event_queries
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.found_versions.queries import Place
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.game_requests import queries as request_queries
from playdock.domain.games import queries as game_queries
from playdock.domain.installations.errors import LayerMissing
from playdock.domain.installations.service import Installations, LayerStack, VersionRevision, chain_of
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.service import LibraryBackends, OnDisk
from playdock.features.damage import queries as damage_queries
from playdock.features.import_parts import queries as part_queries
from playdock.features.import_parts.errors import failures_translated, game_deleted
from playdock.features.import_parts.rules import READING_PERCENT
from playdock.features.import_parts.tasks import read_together, store_checkpoint
from playdock.features.patches.service import Patches
from playdock.features.release_notes.service import VersionNotes
from playdock.features.version_import import queries, rules
from playdock.features.version_import.queries import NewRevision, VersionInPlace
from playdock.features.version_import.service import IMPORT_VERSION, REIMPORT
from playdock.kit.messages import Message, join
from playdock.models import Game, Library, Version
from playdock.storage.entries import Tree
from playdock.storage.ingest import ingest
from playdock.storage.version_resource import version_strings
from playdock.stored import ImportVersionArguments, ReimportVersionArguments
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import RetryableFailure, TaskFailed

# The largest value of the column, a 32-bit integer.
_MAX_REVISION = 2**31 - 1


class ImportVersion(Struct, frozen=True):
    """Reads a version, stores its layer and manifest, adds the version, and starts making patches to it.

    Its release notes are looked for, too.
    """

    installations: Installations
    patches: Patches
    version_notes: VersionNotes
    backends: LibraryBackends
    # Called with the id of the game, the name of the version, and why that cannot be imported.
    note_failure: Callable[[Session, str, str, Message], None]
    # Deletes the rows of folders of a library, given by its id and their paths, from the import plan.
    delete_plan_rows: Callable[[Session, str, Sequence[str]], None]
    task_type: str = IMPORT_VERSION

    def run(self, context: TaskContext) -> None:
        try:
            with failures_translated():
                self._import(context)
        except TaskFailed as failure:
            arguments = context.arguments(ImportVersionArguments)
            with context.checkpoint() as session:
                self.note_failure(session, arguments.game, arguments.name, failure.detail)
            raise

    def _import(self, context: TaskContext) -> None:
        arguments = context.arguments(ImportVersionArguments)
        game, library = self._find(context, arguments)
        name = arguments.name
        tree = self.backends.files_of(game, library).open(arguments)
        load = partial(_load_earlier, context, game.id, name)
        layer = read_layer(context, tree, game=game, version=arguments, load=load)
        with context.db.read() as session:
            chain = chain_of(session, _base(session, arguments))
        stack = self.installations.stack(chain).with_top(VersionRevision.numbered(arguments.version), layer)
        installation = stack.merge()
        require_commands((arguments.launch, arguments.setup), installation)
        label = rules.label_of(game.path, name, _strings(tree, arguments.launch))
        self._store(context, arguments, stack, installation, game=game, label=label)

    def _find(self, context: TaskContext, arguments: ImportVersionArguments) -> tuple[Game, Library]:
        with context.db.read() as session:
            found = game_queries.find_library_of(session, arguments.game)
        if found is None:
            raise game_deleted()
        return found

    def _store(
        self,
        context: TaskContext,
        arguments: ImportVersionArguments,
        stack: LayerStack,
        installation: Installation,
        *,
        game: Game,
        label: str,
    ) -> None:
        game_id, name = game.id, arguments.name
        etag = self.installations.keep(stack, installation, game_id=game_id)
        with context.complete() as session:
            if arguments.beside:
                _reserve(session, game, name)
            if not game_queries.lock_game(session, game_id):
                raise game_deleted()
            part_queries.delete_parts(session, context.task.id)
            if game_queries.version_of_name(session, game_id, name):
                raise _imported_before()
            if chain_of(session, _base(session, arguments)) != stack.revisions[:-1]:
                raise RetryableFailure("Base changed", Message("base-changed"))
            version = _version(
                arguments, at=context.clock(), size=stack.layers[-1].size, installed=installation.size, etag=etag
            )
            version.label = label
            _add_in_order(session, version, game=game)
            if version.beside:
                self.delete_plan_rows(session, game.library_id, [name])
            request_queries.fulfill(session, game_id, at=version.created)
            self.patches.follow(session, version)
            if current := game_queries.find_game(session, game_id):
                self.version_notes.follow(session, current, version)
            game_queries.set_updated(session, game_id, at=version.created)
            part_queries.delete_checkpoints(session, game_id, name)
            place = Place(name, DEFAULT_VERSION) if version.beside else Place(game.path, name)
            found_queries.leave_out_at(session, game.library_id, place, None)


class ReimportVersion(Struct, frozen=True):
    """Reads a version again, stores new revisions of it and of the deltas on top of it, and makes them current."""

    installations: Installations
    patches: Patches
    backends: LibraryBackends
    task_type: str = REIMPORT

    def run(self, context: TaskContext) -> None:
        with failures_translated():
            self._reimport(context)

    def _reimport(self, context: TaskContext) -> None:
        arguments = context.arguments(ReimportVersionArguments)
        with context.db.read() as session:
            current = _require(queries.find_version_in_place(session, arguments.version))
            damaged = damage_queries.paths_of(session, current.version.id)
        game, version = current.game, current.version
        before = self._files_before(version)
        load = partial(_load_earlier, context, game.id, version.name, known=before, without=damaged)
        tree = self.backends.files_of(game, current.library).open(version)
        layer = read_layer(context, tree, game=game, version=version, load=load)
        self._finish(context, current, list(self._new_revisions(current, layer)))

    def _files_before(self, version: Version) -> Sequence[FileRecord]:
        """Return the records of the current import; if they are missing, everything is read again."""
        try:
            return self.installations.layer(VersionRevision.of(version)).files
        except LayerMissing:
            return ()

    def _new_revisions(self, current: VersionInPlace, layer: Layer) -> Iterator[NewRevision]:
        """Store the new revisions, of the version first and then of each delta after its base."""
        below = {current.version.base_id: self.installations.stack(current.below)}
        for version in (current.version, *current.above):
            own = layer if version is current.version else self.installations.layer(VersionRevision.of(version))
            number = _random_revision()
            stack = below[version.base_id].with_top(VersionRevision.numbered(version.id, number), own)
            below[version.id] = stack
            yield self._store(version, number, stack)

    def _store(self, version: Version, number: int, stack: LayerStack) -> NewRevision:
        installation = stack.merge()
        require_commands((version.launch, version.setup), installation)
        etag = self.installations.keep(stack, installation, game_id=version.game_id)
        return NewRevision(version, number, stack.layers[-1].size, installation.size, etag)

    def _finish(self, context: TaskContext, current: VersionInPlace, revisions: Sequence[NewRevision]) -> None:
        changed = [new.version for new in revisions if new.changes]
        names = ", ".join(version.name for version in changed)
        context.log(Message("players-get-others", versions=names) if changed else Message("players-get-same"))
        version, game_id = current.version, current.game.id
        with context.complete() as session:
            game_queries.lock_game(session, game_id)
            part_queries.delete_parts(session, context.task.id)
            if _require(queries.find_version_in_place(session, version.id)).preconditions != current.preconditions:
                raise RetryableFailure("Game changed", Message("game-changed"))
            for new in revisions:
                queries.set_revision(session, new)
            damage_queries.delete_of_version(session, version.id)
            part_queries.delete_checkpoints(session, game_id, version.name)
            for other in changed:
                self.patches.follow(session, other)
            if version.damaged and not changed:
                # They may have failed because files were missing.
                self.patches.follow_again(session, version)
            if changed:
                game_queries.set_updated(session, game_id, at=context.clock())
                newest = {each.platform: each.id for each in game_queries.versions_of(session, game_id)}
                for other in changed:
                    # Others are not what players update to.
                    if other.id == newest.get(other.platform):
                        event_queries.add_changed_version(session, other.id, at=context.clock())


def read_layer(
    context: TaskContext, tree: Tree, *, game: Game, version: OnDisk, load: Callable[[], EarlierResults]
) -> Layer:
    """Read a version, except what is known of it, as ``load`` returns it; a large one together with other nodes."""
    earlier = load()
    if earlier.files or earlier.parts:
        context.log(Message("resuming", files=earlier.files, parts=earlier.parts, size=earlier.size))
    entries = tree.entries()
    if read_together(context, tree, entries, game=game, version=version, earlier=earlier):
        earlier = load()

    def keep(checkpoint: Checkpoint) -> None:
        context.advance(READING_PERCENT * checkpoint.done, 100.0 * checkpoint.total)
        if checkpoint.files or checkpoint.partials:
            with context.checkpoint() as session:
                store_checkpoint(session, checkpoint, at=context.clock(), game_id=game.id, version=version.name)

    layer = ingest(tree, entries=entries, earlier=earlier, workers=os.cpu_count() or 1, checkpoint=keep)
    context.log(Message("files-read", files=len(layer.files), size=layer.size))
    return layer


def require_commands(commands: Collection[str], installation: Installation) -> None:
    """Raise TaskFailed if a non-empty command is not a file of an installation."""
    if absent := join(rules.absent_commands(commands, rules.present(commands, installation))):
        raise TaskFailed("Command missing", absent)


def _imported_before() -> TaskFailed:
    return TaskFailed("Already imported", Message("version-imported-before"))


def _reserve(session: Session, game: Game, folder: str) -> None:
    """Lock a game's library, so that a folder beside that of the game cannot become part of another one."""
    library_queries.lock(session, game.library_id)
    if folder_queries.owner_of_path(session, game.library_id, folder):
        raise _imported_before()
    current = game_queries.find_game(session, game.id)
    if current is not None and current.library_id != game.library_id:
        raise RetryableFailure("Game changed", Message("game-changed"))


def _add_in_order(session: Session, version: Version, *, game: Game) -> None:
    """Add a version before those that are newer, and record that it is an update unless there are any."""
    others = game_queries.versions_of(session, version.game_id)
    names = [rules.full_name(game.path, each.name) for each in others]
    older = len(others) if version.base_id else rules.count_older(names, rules.full_name(game.path, version.name))
    ids = [each.id for each in others]
    game_queries.add_version_between(session, version, older=ids[:older], newer=ids[older:])
    if all(each.platform != version.platform for each in others[older:]):
        event_queries.add_version(session, version, at=version.created)


def _base(session: Session, arguments: ImportVersionArguments) -> Version | None:
    """Return the base of a delta: the latest version for its platform when the import was requested."""
    if arguments.base is None:
        return None
    base = game_queries.find_version(session, arguments.base)
    if base is None:
        raise TaskFailed("Base deleted", Message("base-gone"))
    return base


def _load_earlier(
    context: TaskContext,
    game_id: str,
    version: str,
    *,
    known: Sequence[FileRecord] = (),
    without: Collection[str] = (),
) -> EarlierResults:
    """Return what earlier runs have read; unreadable checkpoints are ignored, and their files are read again."""

    def load(checkpoint: int) -> bytes | None:
        with context.db.read() as session:
            return part_queries.checkpoint(session, checkpoint)

    with context.db.read() as session:
        checkpoints = part_queries.checkpoints(session, game_id, version)
    try:
        return EarlierResults(checkpoints, load, known=known, without=without)
    except UnreadableRecord:
        return EarlierResults((), load, known=known, without=without)


def _strings(tree: Tree, program: str) -> Mapping[str, str]:
    """Return the strings of a program's version resource; none if it is not one of this version or for Windows."""
    try:
        return version_strings(tree, program) if program and tree.has(program) else {}
    except (OSError, UnusableVersion, VersionChanged):
        return {}


def _version(arguments: ImportVersionArguments, *, at: datetime, size: int, installed: int, etag: str) -> Version:
    return Version(
        id=arguments.version,
        game_id=arguments.game,
        name=arguments.name,
        platform=arguments.platform,
        beside=arguments.beside,
        delta=arguments.base is not None,
        base_id=arguments.base,
        only_setup=arguments.only_setup,
        launch=arguments.launch,
        launch_args=arguments.launch_args,
        setup=arguments.setup,
        setup_args=arguments.setup_args,
        compat_id=arguments.compat_id,
        size=size,
        installed_size=installed,
        manifest_etag=etag,
        created=at,
    )


def _require(current: VersionInPlace | None) -> VersionInPlace:
    if current is None:
        raise TaskFailed("Version deleted", Message("version-deleted-before-import"))
    return current


def _random_revision() -> int:
    """Return a random number for a revision.

    It is not a counter, so that no two writers use the same blob name: neither a delta that is re-imported together
    with its base, nor a runner that lost its lease without noticing.
    """
    return secrets.randbelow(_MAX_REVISION) + 1
