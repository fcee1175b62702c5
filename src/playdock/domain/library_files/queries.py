"""All statements on changes of files and on what is in the trash."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from playdock import stored
from playdock.db.insertion import insert_or_ignore
from playdock.models import FileChange, Library, TrashItem
from playdock.stored_file_changes import RestorableRows, StoredFileChange


def add_change(session: Session, change: FileChange) -> bool:
    """Add a change, in one statement; False if another one of the game has been begun."""
    values = {column.key: getattr(change, column.key) for column in FileChange.__table__.columns}
    statement = insert_or_ignore(session, FileChange, values, returning=(FileChange.id,), unique=FileChange.game_id)
    return session.scalar(statement) is not None


def find_change(session: Session, change_id: str) -> FileChange | None:
    return session.get(FileChange, change_id)


def change_of_game(session: Session, game_id: str) -> FileChange | None:
    return session.scalar(select(FileChange).where(FileChange.game_id == game_id))


def change_into_game(session: Session, game_id: str) -> FileChange | None:
    """Return a change that moves a version of another game to this one."""
    changes = ((each, stored.decode(each.change, StoredFileChange)) for each in all_changes(session))
    return next((each for each, change in changes if change.target_game == game_id), None)


def earlier_change(session: Session, *game_ids: str) -> FileChange | None:
    """Return a change that was begun before and concerns one of some games; empty ids are left out."""
    found = (change_of_game(session, each) or change_into_game(session, each) for each in game_ids if each)
    return next(filter(None, found), None)


def all_changes(session: Session) -> Sequence[FileChange]:
    return session.scalars(select(FileChange).order_by(FileChange.id)).all()


def set_switched(session: Session, change_id: str) -> None:
    session.execute(update(FileChange).where(FileChange.id == change_id).values(switched=True))


def set_task(session: Session, change_id: str, task_id: str) -> None:
    session.execute(update(FileChange).where(FileChange.id == change_id).values(task_id=task_id))


def remove_change(session: Session, change_id: str) -> None:
    session.execute(delete(FileChange).where(FileChange.id == change_id))


def add_item(session: Session, item: TrashItem) -> None:
    session.add(item)


def find_item(session: Session, item_id: str) -> TrashItem | None:
    return session.get(TrashItem, item_id)


def items(session: Session) -> Sequence[tuple[TrashItem, Library]]:
    """Return everything in the trash with its library, newest first."""
    statement = select(TrashItem, Library).join(Library, Library.id == TrashItem.library_id)
    rows = session.execute(statement.order_by(TrashItem.deleted.desc(), TrashItem.id)).all()
    return [(row[0], row[1]) for row in rows]


def items_before(session: Session, moment: datetime) -> Sequence[str]:
    """Return the ids of what was deleted before a moment."""
    return session.scalars(select(TrashItem.id).where(TrashItem.deleted < moment).order_by(TrashItem.id)).all()


def remove_item(session: Session, item_id: str) -> None:
    session.execute(delete(TrashItem).where(TrashItem.id == item_id))


def is_library_used(session: Session, library_id: str) -> bool:
    """Return whether a library has something in its trash, or files that are being changed."""
    in_trash = exists().where(TrashItem.library_id == library_id)
    changing = exists().where(FileChange.library_id == library_id)
    return bool(session.scalar(select(in_trash | changing)))


def removed_ids(session: Session, table: str) -> set[str]:
    """Return the ids of the rows of one table that are in the trash with their game."""
    removals = (stored.decode(each, RestorableRows) for each in session.scalars(select(TrashItem.removal)))
    rows = (row for removal in removals for each in removal.removed if each.table == table for row in each.rows)
    return {row["id"] for row in rows}


def record_names_among(session: Session, names: Collection[str]) -> set[str]:
    """Return which of some names are those of the blobs of a version in the trash."""
    kept = session.scalars(select(TrashItem.record_names)).all()
    return {name for some in kept for name in some} & set(names)
