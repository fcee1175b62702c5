"""Saved games for Drop's clients.

They do not say what a save is based on: each one that they push becomes the newest.
"""

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.domain.games.errors import GameUnknown
from playdock.features.drop_bridge.errors import (
    CapabilityNotAllowed,
    DropSlotUnknown,
    InvalidDropGame,
    InvalidSlotIndex,
    OutOfSaveSlots,
)
from playdock.features.drop_bridge.schemas import DropSaveSettings, DropSaveSlot
from playdock.features.drop_bridge.sign_in import DropSignIns
from playdock.features.saved_games import rules
from playdock.features.saved_games.errors import SlotsExhausted
from playdock.features.saved_games.queries import SlotWithSaves
from playdock.features.saved_games.service import Destination, SavedGames

_MEGABYTE = 1024 * 1024
# More than all saves of a slot that an administrator keeps.
_ALL = 1_000_000
_MAX_DIGITS = 9


class DropSaves(Struct, frozen=True):
    """Operations of Drop's clients on the saves of their users."""

    saved_games: SavedGames
    sign_ins: DropSignIns

    def settings(self, actor: Actor) -> DropSaveSettings:
        """Return the limits."""
        self._require_capability(actor)
        size = self.saved_games.max_save_bytes // _MEGABYTE
        kept = self.saved_games.settings.saves_kept or _ALL
        return DropSaveSettings(slot_limit=rules.MAX_SLOTS, size_limit=size, history=kept)

    def list_all(self, actor: Actor) -> list[DropSaveSlot]:
        """Return all slots of the user."""
        self._require_capability(actor)
        return [DropSaveSlot.of(each) for each in self.saved_games.slots(actor)]

    def of_game(self, actor: Actor, game_id: str) -> list[DropSaveSlot]:
        """Return the slots for a game. Raises InvalidDropGame."""
        self._require_capability(actor)
        self._require_game(actor, game_id)
        return [DropSaveSlot.of(each) for each in self.saved_games.slots(actor, game_id=game_id)]

    def create(self, actor: Actor, game_id: str) -> DropSaveSlot:
        """Add a slot with the lowest free number.

        Raises:
            InvalidDropGame: there is no such game.
            OutOfSaveSlots: there are as many slots as there may be.
        """
        self._require_capability(actor)
        try:
            return DropSaveSlot.of(self.saved_games.add_slot(actor, game_id))
        except GameUnknown:
            raise InvalidDropGame from None
        except SlotsExhausted:
            raise OutOfSaveSlots from None

    def show(self, actor: Actor, game_id: str, index: str) -> DropSaveSlot:
        """Return a slot. Raises InvalidDropGame, InvalidSlotIndex or DropSlotUnknown."""
        return DropSaveSlot.of(self._find(actor, game_id, index))

    def delete(self, actor: Actor, game_id: str, index: str) -> None:
        """Delete a slot with its saves. Raises the same as `show`."""
        self.saved_games.delete_slot(actor, self._find(actor, game_id, index))

    def destination(self, actor: Actor, game_id: str, index: str) -> Destination:
        """Return where a pushed save belongs. Raises the same as `show`."""
        slot = self._find(actor, game_id, index).slot
        return Destination(slot.game_id, slot.number, None, replaces=True)

    def _find(self, actor: Actor, game_id: str, index: str) -> SlotWithSaves:
        self._require_capability(actor)
        if not index.isascii() or not index.isdecimal() or len(index) > _MAX_DIGITS:
            raise InvalidSlotIndex
        self._require_game(actor, game_id)
        for each in self.saved_games.slots(actor, game_id=game_id):
            if each.slot.number == int(index):
                return each
        raise DropSlotUnknown

    def _require_game(self, actor: Actor, game_id: str) -> None:
        try:
            self.saved_games.check_upload(actor, game_id, size=0)
        except GameUnknown:
            raise InvalidDropGame from None

    def _require_capability(self, actor: Actor) -> None:
        if not self.sign_ins.can_save(actor):
            raise CapabilityNotAllowed
