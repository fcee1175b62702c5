"""Limits, conflicts, and which saves are kept."""

from collections.abc import Sequence

from msgspec import Struct

# Drop's default. Games have as many slots of their own, which one save contains.
MAX_SLOTS = 5
# Saves of games take some kilobytes to some hundred megabytes.
MAX_SAVE_BYTES = 512 * 1024**2
# A save up to this size is never written to a temporary file.
SPOOLED_BYTES = 8 * 1024**2
OWNER_PREFIX = "saves:"


class StoredSave(Struct, frozen=True):
    """What rules need to know of a save."""

    id: str
    checksum: str
    size: int
    position: int
    aside: bool


def owner_of(user_id: str) -> str:
    """Return the reader of the objects with a user's saves."""
    return f"{OWNER_PREFIX}{user_id}"


def newest(saves: Sequence[StoredSave]) -> StoredSave | None:
    """Return the newest save of a slot that was not kept aside."""
    return max((each for each in saves if not each.aside), key=lambda each: each.position, default=None)


def next_position(saves: Sequence[StoredSave]) -> int:
    return max((each.position for each in saves), default=0) + 1


def conflicts(head: StoredSave | None, based_on: str | None) -> bool:
    """Return whether another save has become the newest since the one that an upload is based on."""
    return head is not None and head.id != based_on


def superseded(saves: Sequence[StoredSave], *, kept: int, new: str) -> list[str]:
    """Return the ids of the oldest saves beyond a number (0: none), without the newest and the ``new`` one."""
    if not kept:
        return []
    head = newest(saves)
    by_age = sorted(saves, key=lambda each: (each == head, each.id == new, each.position), reverse=True)
    return [each.id for each in by_age[kept:] if each != head and each.id != new]


def free_slot(numbers: Sequence[int]) -> int | None:
    """Return the lowest number that no slot has, None if there are as many slots as there may be."""
    if len(numbers) >= MAX_SLOTS:
        return None
    return next(number for number in range(MAX_SLOTS) if number not in numbers)
