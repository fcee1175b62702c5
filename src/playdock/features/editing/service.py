"""Showing, changing and deleting games, their pictures and versions."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import UNSET, Struct
from sqlalchemy.orm import Session

from playdock import stored
from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.artwork import queries as artwork_queries
from playdock.domain.artwork.service import StoredImage
from playdock.domain.game_metadata import queries as metadata_queries
from playdock.domain.game_metadata.queries import GameRecord
from playdock.domain.game_metadata.rules import MetadataEdit
from playdock.domain.game_metadata.service import GameMetadataService
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import GameUnknown, VersionUnknown
from playdock.domain.installations.service import Installations, VersionRevision, chain_of
from playdock.features.editing import rules
from playdock.features.editing.errors import PictureUnknown, VersionIsBase, VersionReimported
from playdock.features.editing.schemas import GameChanges, GamePictureId, PicturesForm, RefreshRequest, VersionChanges
from playdock.features.game_import.errors import MetadataAlreadyUsed
from playdock.features.patches.service import Patches
from playdock.features.version_import import rules as import_rules
from playdock.features.version_import.schemas import VersionImportRequest
from playdock.features.version_import.service import IMPORT_VERSION
from playdock.kit.clock import Clock
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.forms import FormFile
from playdock.kit.messages import Message
from playdock.metadata.game_metadata import GameMetadata, Role
from playdock.metadata.providers import MANUAL, Capability, Reference
from playdock.models import Game, Picture, Version
from playdock.pictures.images import UnusablePicture
from playdock.stored import (
    ImportVersionArguments,
    MetadataReference,
    RefreshGameArguments,
    refresh_subject,
    version_subject,
)
from playdock.tasks import queries as task_queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import TaskAlreadyRunning
from playdock.tasks.new_task import NewTask, Queue

TASK_TYPE = "refresh:game"


class Editing(Struct, frozen=True):
    """Operations of administrators on games and versions."""

    db: Database
    clock: Clock
    game_metadata: GameMetadataService
    installations: Installations
    patches: Patches
    notify_runner: Callable[[], None]

    def show(self, actor: Actor, game_id: str) -> tuple[GameRecord, Sequence[Version]]:
        """Return a game with all its metadata, and its versions, oldest first.

        Raises:
            GameUnknown: no game has this id.
        """
        actor.require(Permission.GAME_READ)
        with self.db.read() as session:
            return _load_game(session, game_id)

    def change(self, actor: Actor, game_id: str, changes: GameChanges) -> tuple[GameRecord, Sequence[Version]]:
        """Change the given fields, and return the changed game.

        Raises:
            GameUnknown: no game has this id.
            InvalidInput: the game does not have a given picture, or the order does not match its versions.
            PermissionMissing: the order of versions is given, but the caller may not change versions.
        """
        actor.require(Permission.GAME_UPDATE)
        if changes.versions is not UNSET:
            actor.require(Permission.VERSION_UPDATE)
        edit = rules.edit_of(changes)
        with self.db.write() as session:
            game = _lock_game(session, game_id)
            pictures = [picture.id for picture in artwork_queries.of_game(session, game_id)]
            versions = [version.id for version in game_queries.versions_of(session, game_id)]
            if field_errors := [*rules.picture_errors(edit.shown, pictures), *rules.order_errors(changes, versions)]:
                raise InvalidInput(field_errors)
            self.game_metadata.edit(session, game, edit, at=self.clock())
            if changes.versions is not UNSET:
                game_queries.arrange(session, game_id, changes.versions[::-1])
            if isinstance(changes.featured, bool):
                game_queries.change_game(session, game_id, {"featured": changes.featured})
        with self.db.read() as session:
            return _load_game(session, game_id)

    def delete(self, actor: Actor, game_id: str) -> None:
        """Delete a game with its versions and pictures; its folder is kept.

        Raises:
            GameUnknown: no game has this id.
        """
        actor.require(Permission.GAME_DELETE)
        with self.db.write() as session:
            self.game_metadata.stop(session, [game_id], at=self.clock())
            obsolete = self.game_metadata.remove(session, game_id)
            if obsolete is None:
                raise GameUnknown
        self.game_metadata.artwork.discard(obsolete)

    def change_version(self, actor: Actor, version_id: str, changes: VersionChanges) -> Version:
        """Change the commands of a version, subject to the rules of its import.

        Raises:
            VersionUnknown: no version has this id.
            InvalidInput: a command is missing, or is not a file of the version.
            LayerMissing: the records of the version are missing from the storage.
            VersionReimported: it was re-imported at the same time.
        """
        actor.require(Permission.VERSION_UPDATE)
        with self.db.read() as session:
            version = _version(session, version_id)
            chain = chain_of(session, version)
        data = rules.as_imported(version, changes)
        self._check_commands(data, chain)
        with self.db.write() as session:
            game_queries.lock_game(session, version.game_id)
            version = _version(session, version_id)
            if chain_of(session, version) != chain:
                raise VersionReimported
            game_queries.change_version(session, version_id, rules.columns(data, changes))
        return version

    def delete_version(self, actor: Actor, version_id: str) -> None:
        """Delete a version; its folder is kept, and a cleanup deletes its stored records later.

        Raises:
            VersionUnknown: no version has this id.
            VersionIsBase: other versions are layered on it.
            TaskAlreadyRunning: it is being re-imported, or a delta based on it is being imported.
        """
        actor.require(Permission.VERSION_DELETE)
        with self.db.write() as session:
            # Lock order: tasks lock their own row before their game's.
            self.patches.stop(session, version_id)
            version = _version(session, version_id)
            game_queries.lock_game(session, version.game_id)
            if deltas := game_queries.deltas_over(session, version_id):
                raise VersionIsBase(deltas)
            reject_running_imports(session, version)
            if not game_queries.remove_version(session, version_id):
                raise VersionUnknown

    def refresh(self, actor: Actor, game_id: str, data: RefreshRequest) -> str:
        """Start fetching a game's metadata, and return the task's id.

        Raises:
            GameUnknown: no game has this id.
            InvalidInput: the provider is not available, or the id is missing.
            MetadataAlreadyUsed: another game uses this metadata.
            TaskAlreadyRunning: the game is already being refreshed.
        """
        actor.require(Permission.GAME_UPDATE)
        with self.db.read() as session:
            game = game_queries.find_game(session, game_id)
        if game is None:
            raise GameUnknown
        reference = rules.reference(data, Reference(game.metadata_source, game.metadata_id, game.name))
        able = [provider.source_id for provider in self.game_metadata.providers.with_capability(Capability.FETCH)]
        if field_errors := list(rules.reference_errors(reference, able)):
            raise InvalidInput(field_errors)
        with self.db.write() as session:
            if game_queries.game_of_metadata(session, reference.source_id, reference.id) not in (None, game_id):
                raise MetadataAlreadyUsed
            task_id = enqueue(session, _new_task(game, reference, data), at=self.clock())
        self.notify_runner()
        return task_id

    def add_pictures(self, actor: Actor, form: PicturesForm) -> Sequence[Picture]:
        """Add uploaded pictures to a game, all or none, and optionally use them.

        Raises:
            GameUnknown: no game has this id.
            InvalidInput: a file is not acceptable; there is one error per file.
        """
        actor.require(Permission.IMAGE_NEW)
        if field_errors := rules.use_errors(form):
            raise InvalidInput(field_errors)
        with self.db.read() as session:
            if game_queries.find_game(session, form.id) is None:
                raise GameUnknown
        stored: list[StoredImage] = []
        with self.game_metadata.artwork.adopting(stored):
            self._store_files(form.files, form.use or Role.CAROUSEL, stored)
            with self.db.write() as session:
                game = _lock_game(session, form.id)
                self.game_metadata.artwork.adopt(session, game.id, stored)
                if form.use is not None:
                    ids = [picture.id for picture in stored]
                    self.game_metadata.use_pictures(session, game, form.use, ids, at=self.clock())
                added = {picture.id for picture in stored}
                return [each for each in artwork_queries.of_game(session, game.id) if each.id in added]

    def remove_picture(self, actor: Actor, picture: GamePictureId) -> None:
        """Delete a picture; a refresh does not replace it in the roles where it was shown.

        Raises:
            GameUnknown, PictureUnknown: the game or the picture does not exist.
        """
        actor.require(Permission.IMAGE_DELETE)
        with self.db.write() as session:
            game = _lock_game(session, picture.game_id)
            found = artwork_queries.find(session, game.id, picture.image_id)
            if found is None:
                raise PictureUnknown
            self._show(session, game, _without(_shown(session, game.id), found.id))
            obsolete = artwork_queries.remove(session, [found])
        self.game_metadata.artwork.discard(obsolete)

    def _check_commands(self, data: VersionImportRequest, chain: tuple[VersionRevision, ...]) -> None:
        if field_errors := import_rules.missing_commands(data):
            raise InvalidInput(field_errors)
        named = import_rules.commands(data)
        present = import_rules.present(set(named.values()), self.installations.stack(chain).merge())
        missing = {field: path for field, path in named.items() if path not in present}
        if missing:
            raise InvalidInput(import_rules.absences(missing))

    def _store_files(self, files: Sequence[FormFile], role: Role, stored: list[StoredImage]) -> None:
        """Check and store files one by one, appending each to ``stored``, so that the caller can discard them."""
        field_errors: list[FieldError] = []
        for index, file in enumerate(files):
            try:
                stored.append(self.game_metadata.artwork.take_in(file.data, role, source=MANUAL))
            except UnusablePicture as reason:
                field_errors.append(rules.rejected_file(index, file.name, reason.message))
        if field_errors:
            raise InvalidInput(field_errors)

    def _show(self, session: Session, game: Game, shown: Mapping[Role, Sequence[str]]) -> None:
        self.game_metadata.edit(session, game, MetadataEdit(GameMetadata(name=""), (), shown), at=self.clock())


def _lock_game(session: Session, game_id: str) -> Game:
    game = metadata_queries.lock(session, game_id)
    if game is None:
        raise GameUnknown
    return game


def _version(session: Session, version_id: str) -> Version:
    version = game_queries.find_version(session, version_id)
    if version is None:
        raise VersionUnknown
    return version


def reject_running_imports(session: Session, version: Version) -> None:
    """Raise TaskAlreadyRunning if an import of the version, or of a delta based on it, is running."""
    running = task_queries.active_task_on(session, version_subject(version.game_id, version.name))
    if running is not None:
        raise TaskAlreadyRunning(running)
    for task in task_queries.active_tasks(session, IMPORT_VERSION):
        if stored.decode(task.arguments, ImportVersionArguments).base == version.id:
            raise TaskAlreadyRunning(task.id)


def _load_game(session: Session, game_id: str) -> tuple[GameRecord, Sequence[Version]]:
    record = metadata_queries.find_entry(session, game_id)
    if record is None:
        raise GameUnknown
    return record, game_queries.versions_of(session, game_id)


def _shown(session: Session, game_id: str) -> dict[Role, list[str]]:
    """Return the pictures that a game shows, by role."""
    shown: dict[Role, list[str]] = {}
    for use in artwork_queries.uses_of_game(session, game_id):
        shown.setdefault(Role(use.role), []).append(use.picture_id)
    return shown


def _without(shown: Mapping[Role, Sequence[str]], picture_id: str) -> dict[Role, list[str]]:
    """Return the roles in which a picture is shown, without it."""
    return {role: [each for each in ids if each != picture_id] for role, ids in shown.items() if picture_id in ids}


def _new_task(game: Game, reference: Reference, data: RefreshRequest) -> NewTask:
    return NewTask(
        task_type=TASK_TYPE,
        name=Message("refresh-game", game=game.name),
        subject=refresh_subject(game.id),
        queue=Queue.DEFAULT,
        acls=(Permission.GAME_UPDATE,),
        arguments=RefreshGameArguments(
            game=game.id,
            metadata=MetadataReference(id=reference.id, source_id=reference.source_id, name=reference.name),
            overwrite=tuple(field.value for field in data.overwrite),
        ),
    )
