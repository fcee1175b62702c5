"""Uploading, listing, restoring and deleting saved games."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor, CredentialKind
from playdock.auth.errors import SignInRequired
from playdock.auth.permissions import Permission
from playdock.content.file_table import ServedFile
from playdock.db.database import Database
from playdock.db.failures import on_rollback
from playdock.db.retrying import retry_conflicts
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import GameUnknown
from playdock.domain.library_files import queries as trash_queries
from playdock.domain.objects import queries as object_queries
from playdock.domain.objects.service import KIND, Objects, StoredBytes
from playdock.features.accounts.service import lock_caller
from playdock.features.devices import queries as device_queries
from playdock.features.downloads.rules import limits_of
from playdock.features.saved_games import queries, rules
from playdock.features.saved_games.errors import SaveConflict, SavesFull, SaveTooLarge, SaveUnknown, SlotsExhausted
from playdock.features.saved_games.queries import ListedSave, SlotWithSaves
from playdock.features.saved_games.rules import StoredSave
from playdock.kit.clock import Clock
from playdock.kit.identifiers import new_id
from playdock.models import Device, SavedGame, SaveSlot
from playdock.sending.limits import DownloadLimiter, TransferPermit
from playdock.sending.threads import SendingThreads
from playdock.settings import Settings
from playdock.storage.openers import BlobOpener

_TABLE = SavedGame.__tablename__


class OwnSave(Struct, frozen=True):
    """A save of the caller, and whether it is the newest of its slot."""

    found: ListedSave
    newest: bool


class OwnSaves(Struct, frozen=True):
    """Saves, and how many bytes all saves of the user have, and may have (0: no limit)."""

    saves: Sequence[OwnSave]
    used: int
    most: int


class Destination(Struct, frozen=True):
    """Where an upload belongs, and the save that it is based on.

    ``based_on`` is None if the device had no save. ``replaces`` makes it the newest whatever it is based on.
    """

    game_id: str
    slot: int
    based_on: str | None
    replaces: bool = False


class SavedGames(Struct, frozen=True):
    """Operations of users on their own saves."""

    db: Database
    clock: Clock
    settings: Settings
    objects: Objects
    limiter: DownloadLimiter
    threads: SendingThreads

    @property
    def max_save_bytes(self) -> int:
        """How large one save may be."""
        return min(self.settings.saves_max_bytes or rules.MAX_SAVE_BYTES, rules.MAX_SAVE_BYTES)

    def list_all(self, actor: Actor, *, game_id: str | None) -> OwnSaves:
        """Return the caller's saves by game and slot, newest first: all, or those for one game."""
        actor.require(Permission.SAVES_READ)
        with self.db.read() as session:
            found = queries.listed(session, actor.user.id, game_id=game_id)
            used = queries.size_of_user(session, actor.user.id)
        seen: set[str] = set()
        saves = []
        for each in found:
            # The newest save of a slot comes first, unless all of them were kept aside.
            saves.append(OwnSave(each, each.slot.id not in seen and not each.save.aside))
            seen.add(each.slot.id)
        return OwnSaves(saves, used, self.settings.saves_max_bytes)

    def find(self, actor: Actor, save_id: str) -> SavedGame:
        """Return a save of the caller. Raises SaveUnknown."""
        actor.require(Permission.SAVES_READ)
        with self.db.read() as session:
            return _require(session, actor, save_id).save

    def check_upload(self, actor: Actor, game_id: str, *, size: int) -> None:
        """Check before the body of an upload is received that it can be stored.

        Raises:
            GameUnknown: there is no such game.
            SaveTooLarge: it is too large.
            SavesFull: the user's saves would be too large in total, whatever it replaces.
        """
        actor.require(Permission.SAVES_UPDATE)
        if size > self.max_save_bytes:
            raise SaveTooLarge(self.max_save_bytes)
        most = self.settings.saves_max_bytes
        with self.db.read() as session:
            if not queries.game_exists(session, game_id):
                raise GameUnknown
            others = queries.size_of_user(session, actor.user.id, but=game_id)
        if most and others + size > most:
            raise SavesFull(most)

    def store(self, actor: Actor, to: Destination, written: StoredBytes, *, checksum: str) -> OwnSave:
        """Add a save whose bytes are stored. If the newest one has the same content, return that instead.

        Raises:
            GameUnknown: there is no such game.
            SaveConflict: another save is the newest; this one is kept aside.
            SavesFull: the user's saves would be too large in total.
        """
        actor.require(Permission.SAVES_UPDATE)
        with on_rollback(partial(self.objects.discard, written.id)):
            head, saved, obsolete = retry_conflicts(partial(self._store, actor, to, written, checksum))
        for save_id in obsolete:
            self.objects.discard(save_id)
        if head != saved:
            raise SaveConflict
        return self._own(actor, saved)

    def _store(
        self, actor: Actor, to: Destination, written: StoredBytes, checksum: str
    ) -> tuple[str, str, Sequence[str]]:
        """Return the ids of the newest save, of the one with these bytes, and of objects whose bytes are obsolete."""
        with self.db.write() as session:
            # A game that is being moved to the trash takes its saves with it.
            if not game_queries.keep_game(session, to.game_id):
                raise GameUnknown
            # Uploads of one user are compared with the newest save one after the other.
            lock_caller(session, actor)
            device = _device_of(session, actor)
            slot = self._slot(session, actor, to)
            if device is not None:
                queries.set_device(session, slot.id, device.id)
            saves = queries.saves_of_slot(session, slot.id)
            head = rules.newest(saves)
            aside = not to.replaces and rules.conflicts(head, to.based_on)
            same = [each for each in saves if each.checksum == checksum and (each == head or (aside and each.aside))]
            if head and same:
                return head.id, head.id if head in same else same[0].id, [written.id]
            new = StoredSave(written.id, checksum, written.size, rules.next_position(saves), aside)
            obsolete = rules.superseded([*saves, new], kept=self.settings.saves_kept, new=new.id)
            self._require_room(session, actor, new, [each for each in saves if each.id in obsolete])
            object_queries.remove_all(session, obsolete)
            self.objects.adopt(session, written, reader=rules.owner_of(actor.user.id))
            queries.add(session, self._row(slot, new, device))
            return head.id if head and aside else new.id, new.id, obsolete

    def _slot(self, session: Session, actor: Actor, to: Destination) -> SaveSlot:
        found = queries.find_slot(session, actor.user.id, to.game_id, to.slot)
        return found or self._add_slot(session, actor, to.game_id, to.slot)

    def _add_slot(self, session: Session, actor: Actor, game_id: str, number: int) -> SaveSlot:
        if not queries.game_exists(session, game_id):
            raise GameUnknown
        device = _device_of(session, actor)
        row = SaveSlot(
            id=new_id(),
            user_id=actor.user.id,
            game_id=game_id,
            number=number,
            device_id=device.id if device else None,
            created=self.clock(),
        )
        queries.add_slot(session, row)
        return row

    def _row(self, slot: SaveSlot, new: StoredSave, device: Device | None) -> SavedGame:
        return SavedGame(
            id=new.id,
            slot_id=slot.id,
            position=new.position,
            aside=new.aside,
            checksum=new.checksum,
            size=new.size,
            device=device.name if device else "",
            created=self.clock(),
        )

    def _require_room(self, session: Session, actor: Actor, new: StoredSave, obsolete: Sequence[StoredSave]) -> None:
        most = self.settings.saves_max_bytes
        used = queries.size_of_user(session, actor.user.id) - sum(each.size for each in obsolete)
        if most and used + new.size > most:
            raise SavesFull(most)

    def restore(self, actor: Actor, save_id: str) -> OwnSave:
        """Make a save the newest of its slot. Raises SaveUnknown."""
        actor.require(Permission.SAVES_UPDATE)
        with self.db.write() as session:
            lock_caller(session, actor)
            slot = _require(session, actor, save_id).slot
            saves = queries.saves_of_slot(session, slot.id)
            head = rules.newest(saves)
            if head is None or head.id != save_id:
                queries.set_newest(session, save_id, position=rules.next_position(saves))
        return self._own(actor, save_id)

    def delete(self, actor: Actor, save_id: str) -> None:
        """Delete a save, and its slot if that was the last one. Raises SaveUnknown."""
        actor.require(Permission.SAVES_UPDATE)
        with self.db.write() as session:
            lock_caller(session, actor)
            slot = _require(session, actor, save_id).slot
            object_queries.remove_all(session, [save_id])
            queries.remove_slot_if_empty(session, slot.id)
        self.objects.discard(save_id)

    def slots(self, actor: Actor, *, game_id: str | None = None) -> list[SlotWithSaves]:
        """Return the caller's slots with their saves: all, or those for one game."""
        actor.require(Permission.SAVES_READ)
        with self.db.read() as session:
            return queries.slots(session, actor.user.id, game_id=game_id)

    def add_slot(self, actor: Actor, game_id: str) -> SlotWithSaves:
        """Add an empty slot with the lowest free number.

        Raises:
            GameUnknown: there is no such game.
            SlotsExhausted: there are as many slots as there may be.
        """
        actor.require(Permission.SAVES_UPDATE)
        with self.db.write() as session:
            lock_caller(session, actor)
            present = queries.slots(session, actor.user.id, game_id=game_id)
            number = rules.free_slot([each.slot.number for each in present])
            if number is None:
                raise SlotsExhausted
            return SlotWithSaves(self._add_slot(session, actor, game_id, number), [])

    def delete_slot(self, actor: Actor, slot: SlotWithSaves) -> None:
        """Delete a slot of the caller with its saves."""
        actor.require(Permission.SAVES_UPDATE)
        with self.db.write() as session:
            lock_caller(session, actor)
            ids = [each.id for each in queries.saves_of_slot(session, slot.slot.id)]
            object_queries.remove_all(session, ids)
            queries.remove_slot(session, slot.slot.id)
        for save_id in ids:
            self.objects.discard(save_id)

    def opener(self) -> BlobOpener:
        return BlobOpener(self.objects.blobs)

    async def admit(self, actor: Actor, _length: int) -> TransferPermit:
        """Return a permit to send a save, which counts as a download of the user. Raises TooManyDownloads."""
        actor.require(Permission.SAVES_READ)
        return await self.limiter.admit(actor.user.id, limits_of(actor.user, self.settings), lambda _sent: None)

    def remove_unused(self, *, before: datetime) -> None:
        """Delete the objects of saves that were deleted with their game, unless the trash has it; for tasks only."""
        # One snapshot: a save that is restored from the trash in between is in one of both.
        with self.db.read() as session:
            unused = queries.objects_without_save(session, before=before)
            kept = trash_queries.removed_ids(session, _TABLE) if unused else set()
        with self.db.write() as session:
            object_queries.remove_all(session, [each for each in unused if each not in kept])

    def _own(self, actor: Actor, save_id: str) -> OwnSave:
        with self.db.read() as session:
            return OwnSave(_require(session, actor, save_id), newest=True)


def served(save: SavedGame) -> ServedFile:
    """Return the file that is sent as a save."""
    return ServedFile(0, f"{KIND}/{save.id}", save.size, 0, 0, 0, b"")


def _require(session: Session, actor: Actor, save_id: str) -> ListedSave:
    found = queries.listed(session, actor.user.id, save_id=save_id)
    if not found:
        raise SaveUnknown
    return found[0]


def _device_of(session: Session, actor: Actor) -> Device | None:
    """Return the device that calls, None if it is none. Raises SignInRequired if it has been signed out."""
    if actor.credential.kind is not CredentialKind.DEVICE:
        return None
    device = device_queries.find(session, actor.credential.id)
    if device is None:
        raise SignInRequired
    return device
