"""Showing, changing and deleting games, what they show, and their versions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from msgspec import UNSET
from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.features.artwork import queries as artwork_queries
from playdock.features.artwork.service import Gathered
from playdock.features.catalogue import queries as catalogue_queries
from playdock.features.catalogue.queries import Entry
from playdock.features.catalogue.rules import Edited
from playdock.features.catalogue.service import Catalogue
from playdock.features.editing import rules
from playdock.features.editing.errors import PictureUnknown, VersionLayeredOver, VersionRenewed
from playdock.features.editing.schemas import GameChanges, GamePictureId, PicturesForm, RefreshDraft, VersionChanges
from playdock.features.game_import.errors import MetadataAlreadyUsed
from playdock.features.games import queries as game_queries
from playdock.features.games.errors import GameUnknown, VersionUnknown
from playdock.features.installations.service import Installations, Revision, chain_of
from playdock.features.patches.service import Patches
from playdock.features.version_import import rules as import_rules
from playdock.features.version_import.schemas import VersionImportDraft
from playdock.features.version_import.service import GROUP as IMPORT
from playdock.features.version_import.service import subject_of
from playdock.jobs import queries as job_queries
from playdock.jobs.drafts import Lane, TaskDraft
from playdock.jobs.enqueueing import enqueue
from playdock.jobs.errors import TaskAlreadyRunning
from playdock.kit.clock import Clock
from playdock.kit.errors import Fault, InvalidInput
from playdock.kit.forms import FormFile
from playdock.metadata.facts import GameFacts, Role
from playdock.metadata.providers import MANUAL, Ability, Reference
from playdock.models import Game, Picture, Version
from playdock.pictures.uploads import UnusablePicture

GROUP = "refresh:game"


@dataclass(frozen=True, slots=True)
class Editing:
    """Games in the hands of administrators."""

    db: Database
    clock: Clock
    catalogue: Catalogue
    installations: Installations
    patches: Patches
    wake: Callable[[], None]

    def show(self, actor: Actor, game_id: str) -> tuple[Entry, Sequence[Version]]:
        """Give everything that is told of a game, and its versions.

        Raises:
            GameUnknown: there is no such game.
        """
        actor.require(Acl.GAME_READ)
        with self.db.read() as session:
            return _whole(session, game_id)

    def change(self, actor: Actor, game_id: str, changes: GameChanges) -> tuple[Entry, Sequence[Version]]:
        """Change what is given, and give the game as it is then.

        Raises:
            GameUnknown: there is no such game.
            InvalidInput: it does not have a picture that it is to show, or its versions are others.
            NotAllowed: its versions are to be in another order, and whoever calls may not change versions.
        """
        actor.require(Acl.GAME_UPDATE)
        if changes.versions is not UNSET:
            actor.require(Acl.VERSION_UPDATE)
        said = rules.edited(changes)
        with self.db.write() as session:
            game = _held(session, game_id)
            pictures = [picture.id for picture in artwork_queries.of_game(session, game_id)]
            versions = [version.id for version in game_queries.versions_of(session, game_id)]
            if faults := [*rules.unknown_pictures(said.shown, pictures), *rules.misordered(changes, versions)]:
                raise InvalidInput(faults)
            self.catalogue.edit(session, game, said, at=self.clock())
            if changes.versions is not UNSET:
                game_queries.arrange(session, game_id, changes.versions[::-1])
            if isinstance(changes.featured, bool):
                catalogue_queries.change(session, game_id, {"featured": changes.featured})
        with self.db.read() as session:
            return _whole(session, game_id)

    def delete(self, actor: Actor, game_id: str) -> None:
        """Delete a game with its versions and pictures; its folder stays.

        Raises:
            GameUnknown: there is no such game.
        """
        actor.require(Acl.GAME_DELETE)
        with self.db.write() as session:
            self.catalogue.stop(session, [game_id], at=self.clock())
            left = self.catalogue.remove(session, game_id)
            if left is None:
                raise GameUnknown
        self.catalogue.artwork.discard(left)

    def change_version(self, actor: Actor, version_id: str, changes: VersionChanges) -> Version:
        """Change how a version is started and set up, by the rules of its import.

        Raises:
            VersionUnknown: there is none.
            InvalidInput: a command is missing, or is no file of the version.
            LayerLost: the records of the version are gone from the storage.
            VersionRenewed: it was imported again meanwhile.
        """
        actor.require(Acl.VERSION_UPDATE)
        with self.db.read() as session:
            version = _version(session, version_id)
            chain = chain_of(session, version)
        draft = rules.as_imported(version, changes)
        self._refuse_unusable(draft, chain)
        with self.db.write() as session:
            game_queries.hold_game(session, version.game_id)
            version = _version(session, version_id)
            if chain_of(session, version) != chain:
                raise VersionRenewed
            game_queries.change_version(session, version_id, rules.columns(draft, changes))
        return version

    def delete_version(self, actor: Actor, version_id: str) -> None:
        """Delete a version; its folder stays, and what is stored of it is swept away later.

        Raises:
            VersionUnknown: there is none.
            VersionLayeredOver: deltas lie over it.
            TaskAlreadyRunning: it is being imported again, or a delta over it is being imported.
        """
        actor.require(Acl.VERSION_DELETE)
        with self.db.write() as session:
            # Tasks hold their own row before their game's; so does this.
            self.patches.stop(session, version_id)
            version = _version(session, version_id)
            game_queries.hold_game(session, version.game_id)
            if deltas := game_queries.deltas_over(session, version_id):
                raise VersionLayeredOver(deltas)
            _refuse_imports(session, version)
            if not game_queries.remove_version(session, version_id):
                raise VersionUnknown

    def refresh(self, actor: Actor, game_id: str, draft: RefreshDraft) -> str:
        """Start to ask a provider about a game, and give the task's id.

        Raises:
            GameUnknown: there is no such game.
            InvalidInput: there is nobody to ask.
            MetadataAlreadyUsed: another game is what is asked for.
            TaskAlreadyRunning: a provider is being asked already.
        """
        actor.require(Acl.GAME_UPDATE)
        with self.db.read() as session:
            game = game_queries.find_game(session, game_id)
        if game is None:
            raise GameUnknown
        asked = rules.reference(draft, Reference(game.metadata_source, game.metadata_id, game.name))
        able = [provider.source_id for provider in self.catalogue.providers.able(Ability.FETCH)]
        if faults := list(rules.unanswerable(asked, able)):
            raise InvalidInput(faults)
        with self.db.write() as session:
            if game_queries.game_of_metadata(session, asked.source_id, asked.id) not in (None, game_id):
                raise MetadataAlreadyUsed
            task_id = enqueue(session, _task_draft(game, asked, draft), at=self.clock())
        self.wake()
        return task_id

    def add_pictures(self, actor: Actor, form: PicturesForm) -> Sequence[Picture]:
        """Add uploaded pictures to a game, all or none, and use them if that is asked.

        Raises:
            GameUnknown: there is no such game.
            InvalidInput: naming each file that cannot be taken, and why.
        """
        actor.require(Acl.IMAGE_NEW)
        if faults := rules.too_many_to_use(form):
            raise InvalidInput(faults)
        with self.db.read() as session:
            if game_queries.find_game(session, form.id) is None:
                raise GameUnknown
        gathered: list[Gathered] = []
        try:
            self._take_in(form.files, form.use or Role.CAROUSEL, gathered)
            with self.db.write() as session:
                game = _held(session, form.id)
                self.catalogue.artwork.adopt(session, game.id, gathered)
                if form.use is not None:
                    self._use(session, game, form.use, [picture.id for picture in gathered])
                added = {picture.id for picture in gathered}
                return [each for each in artwork_queries.of_game(session, game.id) if each.id in added]
        except BaseException:
            self.catalogue.artwork.discard_gathered(gathered)
            raise

    def remove_picture(self, actor: Actor, picture: GamePictureId) -> None:
        """Delete a picture; where the game showed it, no refresh puts another.

        Raises:
            GameUnknown, PictureUnknown: there is no such picture.
        """
        actor.require(Acl.IMAGE_DELETE)
        with self.db.write() as session:
            game = _held(session, picture.game_id)
            found = artwork_queries.find(session, game.id, picture.image_id)
            if found is None:
                raise PictureUnknown
            self._show(session, game, _without(_shown(session, game.id), found.id))
            left = artwork_queries.remove(session, [found])
        self.catalogue.artwork.discard(left)

    def _refuse_unusable(self, draft: VersionImportDraft, chain: tuple[Revision, ...]) -> None:
        if faults := import_rules.missing_commands(draft):
            raise InvalidInput(faults)
        present = import_rules.paths_of(self.installations.stack(chain).merge())
        named = import_rules.commands(draft)
        missing = {field: path for field, path in named.items() if path not in present}
        if missing:
            raise InvalidInput(import_rules.absences(missing))

    def _take_in(self, files: Sequence[FormFile], role: Role, gathered: list[Gathered]) -> None:
        """Check and store files one after the other, adding each to what was gathered."""
        faults: list[Fault] = []
        for place, file in enumerate(files):
            try:
                gathered.append(self.catalogue.artwork.take_in(file.data, role, source=MANUAL))
            except UnusablePicture as reason:
                faults.append(rules.refused(place, file.name, str(reason)))
        if faults:
            raise InvalidInput(faults)

    def _use(self, session: Session, game: Game, role: Role, picture_ids: Sequence[str]) -> None:
        before = _shown(session, game.id).get(role, []) if role is Role.CAROUSEL else []
        self._show(session, game, {role: [*before, *picture_ids]})

    def _show(self, session: Session, game: Game, shown: Mapping[Role, Sequence[str]]) -> None:
        self.catalogue.edit(session, game, Edited(GameFacts(name=""), (), shown), at=self.clock())


def _held(session: Session, game_id: str) -> Game:
    game = catalogue_queries.hold(session, game_id)
    if game is None:
        raise GameUnknown
    return game


def _version(session: Session, version_id: str) -> Version:
    version = game_queries.find_version(session, version_id)
    if version is None:
        raise VersionUnknown
    return version


def _refuse_imports(session: Session, version: Version) -> None:
    """Raise TaskAlreadyRunning where an import works on a version, or on a delta that is to go over it."""
    running = job_queries.living_on(session, subject_of(version.game_id, version.name))
    if running is not None:
        raise TaskAlreadyRunning(running)
    for task in job_queries.living_of(session, IMPORT):
        if task.arguments["base"] == version.id:
            raise TaskAlreadyRunning(task.id)


def _whole(session: Session, game_id: str) -> tuple[Entry, Sequence[Version]]:
    entry = catalogue_queries.find_entry(session, game_id)
    if entry is None:
        raise GameUnknown
    return entry, game_queries.versions_of(session, game_id)


def _shown(session: Session, game_id: str) -> dict[Role, list[str]]:
    """Give what a game shows, by role."""
    shown: dict[Role, list[str]] = {}
    for use in artwork_queries.uses_of_game(session, game_id):
        shown.setdefault(Role(use.role), []).append(use.picture_id)
    return shown


def _without(shown: Mapping[Role, Sequence[str]], picture_id: str) -> dict[Role, list[str]]:
    """Give the roles in which a picture is shown, without it."""
    return {role: [each for each in ids if each != picture_id] for role, ids in shown.items() if picture_id in ids}


def _task_draft(game: Game, asked: Reference, draft: RefreshDraft) -> TaskDraft:
    return TaskDraft(
        group=GROUP,
        name=f"Refresh {game.name}",
        subject=f"refresh:{game.id}",
        lane=Lane.LIGHT,
        acls=(Acl.GAME_UPDATE,),
        arguments={
            "game": game.id,
            "metadata": {"id": asked.id, "sourceId": asked.source_id, "name": asked.name},
            "overwrite": [field.value for field in draft.overwrite],
        },
    )
