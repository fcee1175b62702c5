"""All statements on saved games."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.orm import Session

from playdock.features.saved_games.rules import OWNER_PREFIX, StoredSave
from playdock.models import Game, SavedGame, SaveSlot, StoredObject


class ListedSave(Struct, frozen=True):
    """A save with its slot and its game."""

    save: SavedGame
    slot: SaveSlot
    game_name: str


class SlotWithSaves(Struct, frozen=True):
    """A slot with its saves, oldest first."""

    slot: SaveSlot
    saves: Sequence[SavedGame]


def listed(
    session: Session, user_id: str, *, game_id: str | None = None, save_id: str | None = None
) -> list[ListedSave]:
    """Return saves of a user by game and slot, newest first: all, those of one game, or one."""
    statement = (
        select(SavedGame, SaveSlot, Game.name)
        .join(SaveSlot, SaveSlot.id == SavedGame.slot_id)
        .join(Game, Game.id == SaveSlot.game_id)
        .where(SaveSlot.user_id == user_id)
        .order_by(Game.sort_name, Game.id, SaveSlot.number, SavedGame.aside, SavedGame.position.desc())
    )
    if game_id is not None:
        statement = statement.where(SaveSlot.game_id == game_id)
    if save_id is not None:
        statement = statement.where(SavedGame.id == save_id)
    return [ListedSave(*row) for row in session.execute(statement)]


def slots(session: Session, user_id: str, *, game_id: str | None = None) -> list[SlotWithSaves]:
    """Return the slots of a user, or those for one game, by game and number."""
    statement = select(SaveSlot).where(SaveSlot.user_id == user_id).order_by(SaveSlot.game_id, SaveSlot.number)
    if game_id is not None:
        statement = statement.where(SaveSlot.game_id == game_id)
    found = session.scalars(statement).all()
    saves: dict[str, list[SavedGame]] = {each.id: [] for each in found}
    of_user = select(SavedGame).join(SaveSlot, SaveSlot.id == SavedGame.slot_id).where(SaveSlot.user_id == user_id)
    for save in session.scalars(of_user.order_by(SavedGame.position)):
        if save.slot_id in saves:
            saves[save.slot_id].append(save)
    return [SlotWithSaves(each, saves[each.id]) for each in found]


def find_slot(session: Session, user_id: str, game_id: str, number: int) -> SaveSlot | None:
    is_own = (SaveSlot.user_id == user_id) & (SaveSlot.game_id == game_id)
    return session.scalar(select(SaveSlot).where(is_own, SaveSlot.number == number))


def add_slot(session: Session, row: SaveSlot) -> None:
    session.add(row)


def remove_slot(session: Session, slot_id: str) -> None:
    session.execute(delete(SaveSlot).where(SaveSlot.id == slot_id))


def remove_slot_if_empty(session: Session, slot_id: str) -> None:
    is_used = exists().where(SavedGame.slot_id == SaveSlot.id)
    session.execute(delete(SaveSlot).where(SaveSlot.id == slot_id, ~is_used))


def saves_of_slot(session: Session, slot_id: str) -> list[StoredSave]:
    columns = (SavedGame.id, SavedGame.checksum, SavedGame.size, SavedGame.position, SavedGame.aside)
    return [StoredSave(*row) for row in session.execute(select(*columns).where(SavedGame.slot_id == slot_id))]


def add(session: Session, row: SavedGame) -> None:
    """Add a save whose object has been added."""
    session.flush()
    session.add(row)


def set_newest(session: Session, save_id: str, *, position: int) -> None:
    session.execute(update(SavedGame).where(SavedGame.id == save_id).values(position=position, aside=False))


def find_unmoved(session: Session, save_id: str, *, position: int) -> str | None:
    """Return the slot of a save, None if it was deleted, or is at another position."""
    return session.scalar(select(SavedGame.slot_id).where(SavedGame.id == save_id, SavedGame.position == position))


def size_of_user(session: Session, user_id: str, *, but: str | None = None) -> int:
    """Return the total size of a user's saves in bytes, except those for a game."""
    total = select(func.coalesce(func.sum(SavedGame.size), 0)).join(SaveSlot, SaveSlot.id == SavedGame.slot_id)
    if but is not None:
        total = total.where(SaveSlot.game_id != but)
    return int(session.scalar(total.where(SaveSlot.user_id == user_id)) or 0)


def set_device(session: Session, slot_id: str, device_id: str) -> None:
    session.execute(update(SaveSlot).where(SaveSlot.id == slot_id).values(device_id=device_id))


def game_exists(session: Session, game_id: str) -> bool:
    return bool(session.scalar(select(exists().where(Game.id == game_id))))


def objects_without_save(session: Session, *, before: datetime) -> list[str]:
    """Return the ids of the objects of saves that were deleted with their game."""
    is_used = exists().where(SavedGame.id == StoredObject.id)
    is_save = StoredObject.reader.startswith(OWNER_PREFIX)
    return list(session.scalars(select(StoredObject.id).where(is_save, StoredObject.created < before, ~is_used)))
