"""Undoing a move: deleting what was moved, and nothing else."""

from collections.abc import Callable, Mapping
from functools import partial

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.db.database import Database
from playdock.db.retrying import retry_conflicts
from playdock.domain.companies import queries as company_queries
from playdock.domain.game_metadata.service import GameMetadataService
from playdock.domain.libraries import queries as library_queries
from playdock.domain.objects import queries as object_queries
from playdock.domain.objects.service import Objects
from playdock.domain.tags import queries as tag_queries
from playdock.features.accounts import queries as account_queries
from playdock.features.game_collections import queries as collection_queries
from playdock.features.invitations import queries as invitation_queries
from playdock.features.moving_in import queries
from playdock.features.moving_in.errors import AdminNeeded, NothingMoved
from playdock.features.moving_in.rules import MovedKind, Remark, session_of
from playdock.features.play_records import queries as play_queries
from playdock.features.saved_games import queries as save_queries
from playdock.features.tokens import queries as token_queries
from playdock.kit.clock import Clock
from playdock.kit.security_log import SecurityEvent, record

# What refers to others is deleted first.
_ORDER = (
    MovedKind.INVITATION,
    MovedKind.TOKEN,
    MovedKind.PLAY_RECORD,
    MovedKind.PLAY_SESSION,
    MovedKind.SAVE,
    MovedKind.ENTRY,
    MovedKind.COLLECTION,
    # Versions are deleted with their games. Without a game, no version of it may count as moved.
    MovedKind.VERSION,
    MovedKind.GAME,
    MovedKind.COMPANY,
    MovedKind.TAG,
    MovedKind.LIBRARY,
    MovedKind.RESET,
    MovedKind.USER,
)
# Kinds of which a row is all there is.
_REMOVE: Mapping[MovedKind, Callable[[Session, str], object]] = {
    MovedKind.INVITATION: invitation_queries.remove,
    MovedKind.TOKEN: token_queries.remove_any,
    MovedKind.COLLECTION: collection_queries.remove,
    MovedKind.COMPANY: company_queries.remove_unused,
    MovedKind.TAG: tag_queries.remove_unused,
    MovedKind.LIBRARY: library_queries.remove,
}


class UndoReport(Struct):
    """How many of each kind were deleted, and what was kept."""

    deleted: dict[MovedKind, int]
    remarks: list[Remark]


class UndoingMoves(Struct, frozen=True):
    """Undoes moves from one kind of server; for the server's command line only."""

    server: str
    db: Database
    clock: Clock
    objects: Objects
    game_metadata: GameMetadataService

    def plan(self) -> dict[MovedKind, int]:
        """Return how many of each kind would be deleted. Raises the same errors as `undo`."""
        return {kind: len(rows) for kind, rows in self._moved().items() if rows}

    def undo(self) -> UndoReport:
        """Delete what was moved. It can be interrupted at any moment, and repeated.

        Raises:
            NothingMoved: nothing was moved.
            AdminNeeded: users would remain without an administrator; nothing is deleted.
        """
        report, moved = UndoReport({}, []), self._moved()
        # Otherwise an import could start after the records of versions were deleted.
        with self.db.write() as session:
            self.game_metadata.stop(session, list(moved[MovedKind.GAME].values()), at=self.clock())
        for kind, rows in moved.items():
            for key, target in rows.items():
                retry_conflicts(partial(self._delete, kind, key, target, report))
        return report

    def _moved(self) -> dict[MovedKind, dict[str, str]]:
        """Return what was moved, in the order in which it is deleted, if it may be."""
        with self.db.read() as session:
            moved = {kind: queries.targets(session, self.server, kind) for kind in _ORDER}
            if not any(moved.values()):
                raise NothingMoved
            staying = [
                each for each in account_queries.list_users(session) if each.id not in moved[MovedKind.USER].values()
            ]
        if staying and not any(each.admin and each.enabled for each in staying):
            raise AdminNeeded
        return moved

    def _delete(self, kind: MovedKind, key: str, target: str, report: UndoReport) -> None:
        """Delete one thing, unless it was deleted before, and its record; keep a library that has other games."""
        with self.db.write() as session:
            is_kept = kind is MovedKind.LIBRARY and _is_used(session, target)
            left = [] if is_kept else self._delete_row(session, kind, target)
            queries.remove(session, self.server, kind, [key])
        self.game_metadata.artwork.discard(left)
        if is_kept:
            report.remarks.append(Remark("A library", "is kept, because it has other games."))
            return
        if kind is MovedKind.USER:
            record(SecurityEvent.ACCOUNT_DELETED, user=target)
        report.deleted[kind] = report.deleted.get(kind, 0) + 1

    def _delete_row(self, session: Session, kind: MovedKind, target: str) -> list[str]:
        """Return the ids of objects whose bytes must be deleted after the commit."""
        if remove := _REMOVE.get(kind):
            remove(session, target)
            return []
        match kind:
            case MovedKind.ENTRY:
                collection_id, _, game_id = target.partition(":")
                collection_queries.remove_game(session, collection_id, game_id)
            case MovedKind.PLAY_RECORD:
                user_id, _, game_id = target.partition(":")
                play_queries.remove_moved(session, user_id, game_id, source=self.server)
            case MovedKind.PLAY_SESSION:
                play_queries.remove_session(session, *session_of(target))
            case MovedKind.SAVE:
                return _remove_save(session, target)
            case MovedKind.GAME:
                self.game_metadata.stop(session, [target], at=self.clock())
                return self.game_metadata.remove(session, target) or []
            case MovedKind.USER:
                if removed := account_queries.remove(session, target):
                    object_queries.remove(session, removed.picture_id)
                    return [removed.picture_id]
        return []


def _remove_save(session: Session, target: str) -> list[str]:
    """Delete a save, unless the user has restored it here, and its slot if that was the last one."""
    save_id, _, position = target.partition(":")
    slot_id = save_queries.find_unmoved(session, save_id, position=int(position))
    if slot_id is None:
        return []
    object_queries.remove(session, save_id)
    save_queries.remove_slot_if_empty(session, slot_id)
    return [save_id]


def _is_used(session: Session, library_id: str) -> bool:
    return library_queries.lock(session, library_id) and library_queries.has_games(session, library_id)
