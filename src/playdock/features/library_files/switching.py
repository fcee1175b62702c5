"""The rows that change with files, in the transaction of the task that has moved these."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock import stored
from playdock.content.layouts import DEFAULT_VERSION
from playdock.db import removals
from playdock.db.reassignment import reassign
from playdock.domain.artwork import queries as artwork_queries
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.game_requests import queries as request_queries
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import GameUnknown, VersionUnknown
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.errors import LibraryUnknown, TooMuchIgnored
from playdock.domain.libraries.rules import MAX_IGNORED, ignoring
from playdock.domain.libraries.service import rules_of
from playdock.domain.library_files import queries
from playdock.domain.objects import queries as object_queries
from playdock.domain.search import queries as search_queries
from playdock.features.editing.errors import VersionIsBase
from playdock.features.editing.service import Editing, reject_running_imports
from playdock.features.library_files import rules
from playdock.features.library_files.errors import (
    BaseDeleted,
    FilesGone,
    FilesImported,
    FilesInUse,
    GameOfVersionDeleted,
    PackedVersionImported,
    PlaceOccupied,
    RestoredElsewhere,
    TrashItemUnknown,
)
from playdock.features.library_files.rules import ChangeKind, PlannedChange
from playdock.features.version_import.rules import label_after, label_of
from playdock.models import FileChange, Game, TrashItem, Version
from playdock.storage.library_files import is_in_trash
from playdock.stored import version_subject
from playdock.stored_file_changes import PackedPlace, RestorableRows, StoredFileChange
from playdock.tasks import queries as task_queries

# They are computed again, or are of no use after a while.
NOT_KEPT = frozenset({"drop_contexts", "import_checkpoints", "patch_sets", "search_entries"})


class Switch(Struct, frozen=True):
    """Changes the rows that belong to the moved files of a change, in one transaction."""

    editing: Editing
    row: FileChange
    change: StoredFileChange
    # How many bytes the files have.
    size: int = 0

    def apply(self, session: Session, *, at: datetime) -> None:
        """Change the rows. Raises a PlaydockError if that is no longer possible."""
        match ChangeKind(self.row.kind):
            case ChangeKind.MOVE_GAME:
                self._move_game(session)
            case ChangeKind.RENAME_VERSION:
                self._rename_version(session)
            case ChangeKind.MOVE_VERSION:
                self._move_version(session, at=at)
            case ChangeKind.DELETE_GAME:
                self._delete_game(session, at=at)
            case ChangeKind.DELETE_VERSION:
                self._delete_version(session, at=at)
            case ChangeKind.RESTORE_GAME:
                self._restore_game(session)
            case ChangeKind.RESTORE_VERSION:
                self._restore_version(session)
            case ChangeKind.UNPACK | ChangeKind.UNPACK_ELSEWHERE | ChangeKind.DELETE_UNIMPORTED:
                self._change_unimported(session, at=at)
            case ChangeKind.RESTORE_PACKED | ChangeKind.ERASE:
                queries.remove_item(session, self.change.item)

    def _move_game(self, session: Session) -> None:
        library_id = self.change.target_library
        self._require_unowned(session)
        game = game_queries.find_game(session, self.row.game_id)
        if game is None:
            raise GameUnknown
        # The folder may be gone if all versions are beside it.
        old_path = game.path
        path = {each.source: each.target for each in self.change.paths}.get(old_path, old_path)
        if not game_queries.move_game(session, game.id, library_id=library_id, path=path, layout=game.layout):
            raise PlaceOccupied(path)
        for version in game_queries.versions_of(session, game.id):
            if version.name == DEFAULT_VERSION:
                old, new = label_of(old_path, version.name, {}), label_of(path, version.name, {})
                label = label_after(version.label, old=old, new=new)
                game_queries.change_version(session, version.id, {"label": label})
        self._follow(session, game.id)

    def _require_unowned(self, session: Session) -> None:
        """Lock the library, and raise PlaceOccupied if a folder where files have been moved belongs to a game."""
        library_id = self.change.target_library
        if not library_queries.lock(session, library_id):
            raise LibraryUnknown
        for each in self.change.paths:
            if "/" not in each.target and folder_queries.owner_of_path(session, library_id, each.target):
                raise PlaceOccupied(each.target)

    def _rename_version(self, session: Session) -> None:
        version_id, path = self.change.version or "", self.change.paths[0].target
        self._require_unowned(session)
        game_queries.lock_game(session, self.row.game_id)
        version = game_queries.find_version(session, version_id)
        if version is None:
            raise VersionUnknown
        reject_running_imports(session, version)
        name = rules.name_at(path, before=version.name)
        if game_queries.version_of_name(session, self.row.game_id, name):
            raise PlaceOccupied(name)
        game = game_queries.find_game(session, self.row.game_id)
        path = game.path if game else ""
        label = label_after(version.label, old=label_of(path, version.name, {}), new=label_of(path, name, {}))
        game_queries.change_version(session, version_id, {"name": name, "label": label})
        self._follow(session, self.row.game_id)

    def _move_version(self, session: Session, *, at: datetime) -> None:
        version_id, games = self.change.version or "", (self.row.game_id, self.change.target_game)
        self.editing.patches.stop(session, version_id)
        if not all(game_queries.lock_game(session, game_id) for game_id in sorted(games)):
            raise GameUnknown
        version = game_queries.find_version(session, version_id)
        target = game_queries.find_game(session, self.change.target_game)
        if version is None or target is None:
            raise VersionUnknown
        if deltas := game_queries.deltas_over(session, version_id):
            raise VersionIsBase(deltas)
        reject_running_imports(session, version)
        path = self.change.paths[0].target
        if (target.library_id, target.path) != (self.change.target_library, path.rpartition("/")[0]):
            raise FilesGone
        name = rules.name_at(path, before=version.name)
        if game_queries.version_of_name(session, target.id, name):
            raise PlaceOccupied(name)
        position = game_queries.next_position(session, target.id)
        values = {"game_id": target.id, "name": name, "position": position, "beside": False}
        game_queries.change_version(session, version_id, values)
        self.editing.patches.forget_version(session, version_id)
        reassign(session, version_id, game_id=target.id)
        request_queries.fulfill(session, target.id, at=at)
        for game_id in games:
            self._follow(session, game_id)

    def _follow(self, session: Session, game_id: str) -> None:
        """Create patches to the newest version again: that was stopped before the files were moved."""
        for version in game_queries.versions_of(session, game_id)[-1:]:
            self.editing.patches.follow(session, version)

    def _delete_game(self, session: Session, *, at: datetime) -> None:
        game_id = self.row.game_id
        # Lock order: tasks lock their own row before their game's.
        self.editing.game_metadata.stop(session, [game_id], at=at)
        if not game_queries.lock_game(session, game_id):
            raise GameUnknown
        game, versions = game_queries.find_game(session, game_id), game_queries.versions_of(session, game_id)
        removal = removals.remove(session, Game, game_id, without=NOT_KEPT)
        if game is None or removal is None:
            raise GameUnknown
        request_queries.reopen_all(session, _ids_of_requests(removal))
        queries.add_item(session, self._item(game, None, versions, removal, at=at))

    def _delete_version(self, session: Session, *, at: datetime) -> None:
        version_id = self.change.version or ""
        self.editing.patches.stop(session, version_id)
        game_queries.lock_game(session, self.row.game_id)
        version, game = (
            game_queries.find_version(session, version_id),
            game_queries.find_game(session, self.row.game_id),
        )
        if version is None or game is None:
            raise VersionUnknown
        if deltas := game_queries.deltas_over(session, version_id):
            raise VersionIsBase(deltas)
        reject_running_imports(session, version)
        removal = removals.remove(session, Version, version_id, without=NOT_KEPT)
        queries.add_item(session, self._item(game, version, [version], removal or RestorableRows(), at=at))

    def _item(
        self, game: Game, version: Version | None, versions: Sequence[Version], removal: RestorableRows, *, at: datetime
    ) -> TrashItem:
        return TrashItem(
            id=self.row.id,
            library_id=self.row.library_id,
            game_id=game.id,
            version_id=version.id if version else None,
            game_name=game.name,
            version_name=version.name if version else None,
            paths=[each.source for each in self.change.paths],
            size=self.size,
            record_names=[each.record_name for each in versions],
            removal=stored.encode(removal),
            deleted=at,
        )

    def _change_unimported(self, session: Session, *, at: datetime) -> None:
        if self.change.packed:
            self._ignore_packed(session, self.change.packed)
        else:
            self._put_into_trash(session, at=at)

    def _put_into_trash(self, session: Session, *, at: datetime) -> None:
        """Put files into the trash that have no rows, because they are not imported, or are unpacked before that."""
        if not library_queries.lock(session, self.row.library_id):
            raise LibraryUnknown
        is_unpacked = self.row.kind == ChangeKind.UNPACK
        paths = [each.source for each in self.change.paths if is_in_trash(each.target)]
        version = rules.packed_among(paths)
        path, names = rules.place_of(version)
        game_id = folder_queries.owner_of_path(session, self.row.library_id, path)
        game = game_queries.find_game(session, game_id) if game_id else None
        is_whole_game = path == version
        if game and game.path != path:
            raise PackedVersionImported if is_unpacked else FilesImported
        if game and self._is_imported(session, game, names):
            raise PackedVersionImported if is_unpacked else FilesImported
        if game and is_whole_game:
            if not is_unpacked:
                raise FilesImported
            self._take_place_of_archive(session, game, rules.unpacked_beside(version))
        item = TrashItem(
            id=self.row.id,
            library_id=self.row.library_id,
            game_id=game.id if game else self.row.game_id,
            version_id=None,
            game_name=game.name if game else self.change.title,
            version_name="" if is_whole_game and not is_unpacked else version.rpartition("/")[2],
            paths=paths,
            size=self.size,
            record_names=[],
            removal=stored.encode(RestorableRows()),
            deleted=at,
        )
        queries.add_item(session, item)

    def _ignore_packed(self, session: Session, packed: PackedPlace) -> None:
        """Let a library, unless it was removed, ignore the archive that was unpacked into another one."""
        library_queries.lock(session, packed.library)
        library = library_queries.find(session, packed.library)
        if library is None:
            return
        game_id = folder_queries.owner_of_path(session, library.id, packed.game)
        game = game_queries.find_game(session, game_id) if game_id else None
        if game and (game.path != packed.game or self._is_imported(session, game, [packed.version])):
            raise PackedVersionImported
        changed = ignoring(rules_of(library), packed.game, packed.version)
        if len(changed.ignore) > MAX_IGNORED:
            raise TooMuchIgnored(MAX_IGNORED)
        library_queries.change(session, library.id, {"rules": stored.encode(changed)})

    def _is_imported(self, session: Session, game: Game, versions: Sequence[str]) -> bool:
        """Return whether one of some versions is imported. Raises FilesInUse if one is being imported."""
        game_queries.lock_game(session, game.id)
        subjects = [version_subject(game.id, version) for version in versions]
        if any(task_queries.active_task_on(session, subject) is not None for subject in subjects):
            raise FilesInUse
        return any(game_queries.version_of_name(session, game.id, version) for version in versions)

    def _take_place_of_archive(self, session: Session, game: Game, folder: str) -> None:
        if not game_queries.move_game(session, game.id, library_id=game.library_id, path=folder, layout=game.layout):
            raise PlaceOccupied(folder)

    def _restore_game(self, session: Session) -> None:
        self._require_unowned(session)
        item, removal = self._removal(session)
        _restore(session, removal, Game, {})
        request_queries.close_again(session, item.game_id, _ids_of_requests(removal))
        search_queries.index_game(session, item.game_id)
        queries.remove_item(session, item.id)

    def _restore_version(self, session: Session) -> None:
        game_id = self.row.game_id
        self._require_unowned(session)
        if not game_queries.lock_game(session, game_id):
            raise GameOfVersionDeleted
        item, removal = self._removal(session)
        versions = game_queries.versions_of(session, game_id)
        base_id, position = _base_and_position(removal, item.version_id or "")
        if base_id and base_id not in {each.id for each in versions}:
            raise BaseDeleted
        last = game_queries.next_position(session, game_id)
        _restore(session, removal, Version, {"position": last})
        order = rules.order_with(
            [each.id for each in versions],
            [each.position for each in versions],
            restored=item.version_id or "",
            position=position,
        )
        game_queries.arrange(session, game_id, order)
        queries.remove_item(session, item.id)

    def _removal(self, session: Session) -> tuple[TrashItem, RestorableRows]:
        item = queries.find_item(session, self.change.item)
        if item is None:
            raise TrashItemUnknown
        return item, stored.decode(item.removal, RestorableRows)


def require_unowned(session: Session, planned: PlannedChange) -> None:
    """Raise FilesImported if what is to be deleted belongs to a game since it was looked at."""
    paths = [each.source for each in planned.change.paths] if planned.kind is ChangeKind.DELETE_UNIMPORTED else ()
    if any(folder_queries.owner_of_path(session, planned.library_id, path) for path in paths):
        raise FilesImported


def _restore(
    session: Session, removal: RestorableRows, owner: type[Game | Version], changes: Mapping[str, Any]
) -> None:
    try:
        removals.restore(session, removal, owner, changes)
    except removals.NotRestorable:
        raise RestoredElsewhere from None


def _base_and_position(removal: RestorableRows, version_id: str) -> tuple[str | None, int]:
    rows = [row for each in removal.removed if each.table == "versions" for row in each.rows]
    return next(((row["base_id"], row["position"]) for row in rows if row["id"] == version_id), (None, 0))


def _ids_of_requests(removal: RestorableRows) -> list[str]:
    return [each.key["id"] for each in removal.cleared if each.table == "game_requests"]


def remove_pictures(session: Session, removal: RestorableRows) -> list[str]:
    """Delete the rows of the images of an erased game, and return the ids of the objects whose bytes remain."""
    renditions = [row["renditions"] for each in removal.removed if each.table == "pictures" for row in each.rows]
    object_ids = artwork_queries.objects_of(renditions)
    object_queries.remove_all(session, object_ids)
    return object_ids
