"""Moving saved games, with their history."""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from playdock.db.database import Database
from playdock.db.failures import on_rollback
from playdock.db.retrying import retry_conflicts
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import GameUnknown
from playdock.domain.objects.service import Objects, StoredBytes
from playdock.features.accounts import queries as account_queries
from playdock.features.moving_in import queries
from playdock.features.moving_in.errors import MoveRunning
from playdock.features.moving_in.rules import MovedKind
from playdock.features.moving_in.save_rules import OfferedSave, chosen_saves, save_here, save_target, saves_option
from playdock.features.saved_games import queries as save_queries
from playdock.features.saved_games.receiving import MEDIA_TYPE
from playdock.features.saved_games.rules import MAX_SAVE_BYTES, owner_of
from playdock.kit.clock import Clock
from playdock.kit.identifiers import new_id
from playdock.models import SavedGame, SaveSlot
from playdock.other_servers.model import SourceSaveSlot, SourceServer
from playdock.other_servers.objects import ObjectFolder
from playdock.settings import Settings

_ANY_NUMBER = 1_000_000
_BLOCK_BYTES = 256 * 1024
Remarking = Callable[[str, str], None]


class _Moved(Struct, frozen=True):
    """What was moved before: the ids of saves at the other server, and how they are recorded here."""

    keys: set[str]
    targets: set[str]


class MovedSaves(Struct, frozen=True):
    """Moves saves from one kind of server; ``remark`` takes what it is about, and a sentence."""

    server: str
    db: Database
    clock: Clock
    settings: Settings
    objects: Objects
    files: ObjectFolder
    remark: Remarking

    def move(self, source: SourceServer, users: Mapping[str, str], games: Mapping[str, str]) -> int:
        """Add the saves of users and games that are here, by their keys; return how many were added."""
        with self.db.read() as session:
            recorded = queries.targets(session, self.server, MovedKind.SAVE)
        moved = _Moved(set(recorded), set(recorded.values()))
        if self.files.folder is None:
            if any(save.key not in moved.keys for slot in source.save_slots for save in slot.saves):
                self.remark(
                    "Saved games", f"are not moved without {saves_option(self.server)}: run this again with it."
                )
            return 0
        added = 0
        for user in source.users:
            slots = [each for each in source.save_slots if each.user == user.key and each.game in games]
            if slots and user.key in users:
                added += self._move_of(users[user.key], user.username, slots, games, moved)
        return added

    def _move_of(
        self,
        user_id: str,
        username: str,
        slots: Sequence[SourceSaveSlot],
        games: Mapping[str, str],
        moved: _Moved,
    ) -> int:
        """Add the saves of a user, as many as may be; return how many were added."""
        kept, most = self.settings.saves_kept or _ANY_NUMBER, self.settings.saves_max_bytes
        with self.db.read() as session:
            here = {(each.slot.game_id, each.slot.number): each.saves for each in save_queries.slots(session, user_id)}
            used = save_queries.size_of_user(session, user_id)
        offered: list[OfferedSave] = []
        places: dict[tuple[str, int], int] = {}
        for slot in slots:
            present = here.get((games[slot.game], slot.number), ())
            own = {each.checksum for each in present if save_target(each.id, each.position) not in moved.targets}
            offered += self._offered(slot, own, moved)
            places[slot.game, slot.number] = kept - len(present)
        left = max(most - used, 0) if most else None
        chosen = chosen_saves(offered, places=places, most=min(most or MAX_SAVE_BYTES, MAX_SAVE_BYTES), left=left)
        if len(chosen) < len(offered):
            size = sum(each.size for each in offered) - sum(each.size for each in chosen)
            text = f"{len(offered) - len(chosen)} with {size:,} bytes are left out: see SAVES_MAX_BYTES and SAVES_KEPT."
            self.remark(f"Saved games of {username}", text)
        by_age = sorted(chosen, key=lambda each: each.save.position)
        return sum(self._add(each, user_id, games[each.slot.game], moved) for each in by_age)

    def _offered(self, slot: SourceSaveSlot, present: Collection[str], moved: _Moved) -> Iterator[OfferedSave]:
        """Yield the saves of a slot that were not moved, and that the user has not uploaded here as well."""
        for save in slot.saves:
            if save.key in moved.keys or save.checksum in present:
                continue
            file = self.files.find(save.path)
            if file is None:
                self.remark(f"Saved game {save.path}", "is missing, and left out.")
            else:
                found = file.stat()
                created = save.created or datetime.fromtimestamp(found.st_mtime, UTC)
                is_old = any(each.position > save.position and each.key in moved.keys for each in slot.saves)
                yield OfferedSave(slot, save, created, found.st_size, is_old)

    def _add(self, offered: OfferedSave, user_id: str, game_id: str, moved: _Moved) -> bool:
        """Add a save, unless its file is damaged."""
        file = self.files.find(offered.save.path)
        if file is None:
            return False
        hasher = hashlib.sha256()
        written = self.objects.write_pieces(_pieces(file, hasher.update), media_type=MEDIA_TYPE)
        checksum = hasher.hexdigest()
        if offered.save.checksum not in ("", checksum):
            self.objects.discard(written.id)
            self.remark(f"Saved game {offered.save.path}", "is damaged, and left out.")
            return False
        save = msgspec.structs.replace(offered.save, checksum=checksum)
        checked = msgspec.structs.replace(offered, save=save)
        with on_rollback(partial(self.objects.discard, written.id)):
            retry_conflicts(partial(self._adopt, checked, written, user_id, game_id, moved))
        return True

    def _adopt(self, offered: OfferedSave, written: StoredBytes, user_id: str, game_id: str, moved: _Moved) -> None:
        key, number = offered.save.key, offered.slot.number
        with self.db.write() as session:
            if not game_queries.keep_game(session, game_id):
                raise GameUnknown
            # Uploads of the user wait.
            account_queries.lock_user(session, user_id)
            slot = save_queries.find_slot(session, user_id, game_id, number)
            if slot is None:
                slot = SaveSlot(id=new_id(), user_id=user_id, game_id=game_id, number=number, created=self.clock())
                save_queries.add_slot(session, slot)
            present = save_queries.saves_of_slot(session, slot.id)
            new = save_here(offered, written.id, present=present, moved=moved.targets)
            target = save_target(new.id, new.position)
            if not queries.add(session, self.server, MovedKind.SAVE, key, target=target, at=self.clock()):
                raise MoveRunning
            self.objects.adopt(session, written, reader=owner_of(user_id))
            row = SavedGame(
                id=new.id,
                slot_id=slot.id,
                position=new.position,
                aside=new.aside,
                checksum=new.checksum,
                size=new.size,
                device=offered.save.device,
                created=offered.created,
            )
            save_queries.add(session, row)
        moved.targets.add(target)


def _pieces(file: Path, note: Callable[[bytes], object]) -> Iterator[bytes]:
    with file.open("rb") as content:
        while piece := content.read(_BLOCK_BYTES):
            note(piece)
            yield piece
