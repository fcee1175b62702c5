"""All statements on transfers."""

from collections.abc import Collection, Mapping
from datetime import date

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_into
from playdock.db.locks import LockLevel, record_locked
from playdock.domain.transfers.rules import Day, UserDownload
from playdock.kit.identifiers import new_id
from playdock.models import TransferDay, User


def lock_users(session: Session, user_ids: Collection[str]) -> set[str]:
    """Return the ids that belong to existing users, and prevent their deletion until this transaction ends."""
    statement = select(User.id).where(User.id.in_(user_ids)).order_by(User.id)
    locked = session.scalars(statement.with_for_update(read=True, key_share=True)).all()
    record_locked(session, LockLevel.USER, locked)
    return set(locked)


def add(session: Session, sent: Mapping[UserDownload, int], *, users: Collection[str]) -> None:
    """Add bytes to the totals; bytes sent to a deleted user (none of ``users``) are stored without a user id."""
    new = insert_into(session, TransferDay)
    unique = [TransferDay.day, TransferDay.user_id, TransferDay.version_id]
    upsert = new.on_conflict_do_update(index_elements=unique, set_={"bytes": TransferDay.bytes + new.excluded.bytes})
    # Sorted, so that two processes writing at the same time cannot deadlock.
    rows = [
        {
            "id": new_id(),
            "day": download.day,
            "user_id": download.user_id if download.user_id in users else None,
            "version_id": download.version_id,
            "bytes": count,
        }
        for download, count in sorted(sent.items())
    ]
    session.execute(upsert, rows)


def days(session: Session, *, since: date) -> list[Day]:
    """Return the totals of each day with transfers, in no particular order; each row is one download."""
    statement = (
        select(TransferDay.day, func.sum(TransferDay.bytes), func.count())
        .where(TransferDay.day >= since)
        .group_by(TransferDay.day)
    )
    # PostgreSQL returns sums of bigint as decimals.
    return [Day(day, int(total), downloads) for day, total, downloads in session.execute(statement)]


def delete_before(session: Session, *, before: date) -> None:
    """Delete the transfers of all days before a date."""
    session.execute(delete(TransferDay).where(TransferDay.day < before))
