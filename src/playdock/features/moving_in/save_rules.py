"""Pure decisions about moving saved games: which are moved, and where they are in their slots."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from playdock.features.moving_in.rules import Remark
from playdock.features.saved_games.rules import StoredSave, newest, next_position
from playdock.other_servers.model import SourceSave, SourceSaveSlot, SourceServer

# The option that names the folder with the saved games of a kind of server, if it is not the one with images.
_OPTIONS = {"gamevault": "--saves", "romm": "--saves"}


def saves_option(server: str) -> str:
    """Return the option that names the folder with the saved games of a kind of server."""
    return _OPTIONS.get(server, "--objects")


def missing_saves(source: SourceServer, folder: Path | None, *, option: str) -> list[Remark]:
    """Return that saved games are not moved, if there are any and the folder in which they are is unknown."""
    if folder or not source.save_slots:
        return []
    return [Remark("Saved games", f"are not moved without {option}.")]


class OfferedSave(Struct, frozen=True):
    """A save of a slot that could be moved, and its file's size in bytes.

    ``is_old`` if a newer one of the slot was moved before.
    """

    slot: SourceSaveSlot
    save: SourceSave
    created: datetime
    size: int
    is_old: bool = False

    @property
    def is_newest(self) -> bool:
        """Whether it is the newest of its slot."""
        heads = [each.position for each in self.slot.saves if not each.aside]
        return not self.save.aside and self.save.position == max(heads)


def chosen_saves(
    offered: Iterable[OfferedSave], *, places: Mapping[tuple[str, int], int], most: int, left: int | None
) -> list[OfferedSave]:
    """Return the saves of a user that are moved, the newest of each slot first, then newer before older ones.

    ``places`` is how many saves each slot can take, by game and number; the newest one is moved even if it is full.
    ``most`` is how many bytes a save may have, ``left`` how many all of them, None for any number.
    """
    free, chosen = dict(places), []
    for each in sorted(offered, key=_value, reverse=True):
        place = (each.slot.game, each.slot.number)
        fits = each.size <= most and (left is None or each.size <= left)
        if not fits or (free[place] <= 0 and not each.is_newest):
            continue
        chosen.append(each)
        free[place] -= 1
        left = None if left is None else left - each.size
    return chosen


def _value(offered: OfferedSave) -> tuple[bool, datetime, int]:
    return offered.is_newest, offered.created, offered.save.position


def save_target(save_id: str, position: int) -> str:
    """Return how a moved save is recorded. It has another position if the user has restored it since."""
    return f"{save_id}:{position}"


def save_here(
    offered: OfferedSave, save_id: str, *, present: Sequence[StoredSave], moved: Collection[str]
) -> StoredSave:
    """Return a save as it is added to a slot.

    In a slot whose newest save was moved, too, it has the same position as there. If the user has another newest one
    here, it is kept aside. ``moved`` is how moved saves are recorded.
    """
    save, head = offered.save, newest(present)
    follows = head is None or save_target(head.id, head.position) in moved
    # Where positions are those in a list that loses its first entries, a newer save can have a lower one.
    in_order = head is None or (save.position < head.position) == offered.is_old
    if follows and in_order and save.position not in {each.position for each in present}:
        return StoredSave(save_id, save.checksum, offered.size, save.position, save.aside)
    is_aside = save.aside or not follows or offered.is_old
    return StoredSave(save_id, save.checksum, offered.size, next_position(present), is_aside)
