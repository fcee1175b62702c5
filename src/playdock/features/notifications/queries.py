"""All statements on notifications and on what users want to be notified of."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace
from sqlalchemy import ColumnElement, delete, exists, func, select, update
from sqlalchemy.orm import Session

from playdock import stored
from playdock.db.insertion import insert_into
from playdock.domain.game_requests import queries as request_queries
from playdock.features.delivery.service import Written
from playdock.features.notifications.rules import Notice, Recipient
from playdock.kit.messages import code_of, parameters_of
from playdock.models import Collection as GameCollection
from playdock.models import (
    CollectionEntry,
    Device,
    DeviceInstallation,
    GameTag,
    Notification,
    NotificationPreferences,
    Tag,
    Task,
    User,
    Version,
)
from playdock.tasks.new_task import Queue

# Far more than somebody reads; older ones are deleted after some weeks.
MAX_LISTED = 100


def overdue_task(session: Session, queue: Queue, *, before: datetime) -> Task | None:
    """Return the task of a queue that has waited longest, if it was due before a time."""
    waiting = select(Task).where(Task.queue == queue.value, Task.ended.is_(None), Task.worker_id.is_(None))
    return session.scalar(waiting.where(Task.due < before).order_by(Task.due, Task.id).limit(1))


def any_started(session: Session, queue: Queue, *, since: datetime) -> bool:
    """Return whether a task of a queue was started since a time."""
    return bool(session.scalar(select(exists().where(Task.queue == queue.value, Task.started >= since))))


def running_task(session: Session, queue: Queue) -> Task | None:
    """Return the task that a queue has been running for the longest time."""
    running = select(Task).where(Task.queue == queue.value, Task.ended.is_(None), Task.worker_id.isnot(None))
    return session.scalar(running.order_by(Task.started, Task.id).limit(1))


def newest(session: Session, user_id: str) -> Sequence[Notification]:
    """Return the newest notifications of a user, newest first."""
    own = select(Notification).where(*_in_app_of(user_id))
    return session.scalars(own.order_by(Notification.id.desc()).limit(MAX_LISTED)).all()


def find(session: Session, notification_id: int, *, user_id: str) -> Notification | None:
    return session.scalar(select(Notification).where(Notification.id == notification_id, *_in_app_of(user_id)))


def last_id(session: Session) -> int:
    """Return the id of the newest notification, 0 without any."""
    return session.scalar(select(func.max(Notification.id))) or 0


def added_since(session: Session, last: int, user_ids: Collection[str]) -> Sequence[Notification]:
    """Return the notifications of users after an id, oldest first."""
    newer = select(Notification).where(
        Notification.id > last, Notification.user_id.in_(user_ids), Notification.in_app.is_(True)
    )
    return session.scalars(newer.order_by(Notification.id)).all()


def set_read(session: Session, user_id: str, notification_id: int) -> Sequence[Notification]:
    """Mark a notification of a user as read, and return it; nothing if there is none."""
    own = update(Notification).where(*_in_app_of(user_id), Notification.id == notification_id)
    return session.scalars(own.values(read=True).returning(Notification)).all()


def set_all_read(session: Session, user_id: str) -> None:
    """Mark all notifications of a user as read."""
    unread = update(Notification).where(*_in_app_of(user_id), Notification.read.is_(False))
    session.execute(unread.values(read=True))


def set_read_by_all(session: Session, nonces: Collection[str]) -> None:
    """Mark the notifications about something as read, those of all users."""
    # With the users, there is an index.
    of_all = Notification.user_id.in_(select(User.id)) & Notification.nonce.in_(nonces)
    unread = update(Notification).where(of_all, Notification.read.is_(False))
    session.execute(unread.values(read=True), execution_options={"synchronize_session": False})


def remove(session: Session, user_id: str, notification_id: int) -> bool:
    """Delete a notification of a user; False if there is none."""
    own = delete(Notification).where(*_in_app_of(user_id), Notification.id == notification_id)
    return session.scalar(own.returning(Notification.id)) is not None


def delete_old(session: Session, *, before: datetime) -> None:
    session.execute(delete(Notification).where(Notification.created < before))


def preferences_of(session: Session, user_id: str) -> stored.StoredPreferences:
    """Return what a user wants to be notified of; tags that were deleted are left out."""
    row = session.get(NotificationPreferences, user_id)
    [found] = _with_existing_tags(session, [_preferences(row.preferences if row else None)])
    return found


def put_preferences(session: Session, user_id: str, preferences: stored.StoredPreferences) -> None:
    """Replace what a user wants to be notified of; what only newer releases know stays."""
    row = session.get(NotificationPreferences, user_id)
    values = {"preferences": {**(row.preferences if row else {}), **stored.encode(preferences)}}
    insert = insert_into(session, NotificationPreferences).values(user_id=user_id, **values)
    session.execute(insert.on_conflict_do_update(index_elements=[NotificationPreferences.user_id], set_=values))


def recipients(session: Session, game_ids: Collection[str], *, request_ids: Collection[str] = ()) -> list[Recipient]:
    """Return all users who can sign in, each with which of some games they have, and on which platforms.

    Also with which of some requests they have voted for.
    """
    rows = session.execute(
        select(User.id, User.admin, NotificationPreferences.preferences)
        .outerjoin(NotificationPreferences, NotificationPreferences.user_id == User.id)
        .where(User.enabled)
        .order_by(User.id)
    ).all()
    played = _played(session, game_ids)
    voted = request_queries.voters(session, request_ids)
    preferences = _with_existing_tags(session, [_preferences(row.preferences) for row in rows])
    return [
        Recipient(row.id, row.admin, wanted, played.get(row.id, {}), voted.get(row.id, ()))
        for row, wanted in zip(rows, preferences, strict=True)
    ]


def tags_named(session: Session, tag_ids: Collection[str]) -> Sequence[Tag]:
    """Return tags by name."""
    return session.scalars(select(Tag).where(Tag.id.in_(tag_ids)).order_by(Tag.normalized_name, Tag.id)).all()


def tags_of(session: Session, game_ids: Collection[str]) -> Mapping[str, set[str]]:
    """Return the ids of the tags of games."""
    tags: dict[str, set[str]] = {}
    rows = session.execute(select(GameTag.game_id, GameTag.tag_id).where(GameTag.game_id.in_(game_ids)))
    for game_id, tag_id in rows:
        tags.setdefault(game_id, set()).add(tag_id)
    return tags


def rows_of(notice: Notice, *, at: datetime) -> Iterable[dict[str, Any]]:
    """Yield the rows of a notice, one for each user."""
    content = notice.content
    common = {
        "nonce": notice.nonce,
        "event_type": content.event_type.value,
        "title": str(content.title),
        "title_code": content.title.code,
        "title_parameters": parameters_of(content.title),
        "description": str(content.description or ""),
        "description_code": code_of(content.description),
        "description_parameters": parameters_of(content.description),
        "link": content.link,
        "created": at,
        "read": False,
    }
    return ({"user_id": each, "in_app": each not in notice.muted_by, **common} for each in notice.user_ids)


def add(session: Session, rows: Sequence[dict[str, Any]]) -> list[Written]:
    """Add notifications, except those that are written already or whose user was deleted in the meantime."""
    existing = set(session.scalars(select(User.id).where(User.id.in_({row["user_id"] for row in rows}))))
    kept = [row for row in rows if row["user_id"] in existing]
    if not kept:
        return []
    statement = insert_into(session, Notification).on_conflict_do_nothing()
    columns = (Notification.id, Notification.user_id, Notification.event_type)
    return [Written(*row) for row in session.execute(statement.returning(*columns), kept)]


def _played(session: Session, game_ids: Collection[str]) -> Mapping[str, Mapping[str, set[str]]]:
    """Return the platforms for which users have games: of what is installed, and all that a collected game has."""
    installed = (
        select(Device.user_id, DeviceInstallation.game_id, func.coalesce(Version.platform, Device.platform))
        .join(Device, Device.id == DeviceInstallation.device_id)
        .outerjoin(Version, Version.id == DeviceInstallation.version_id)
        .where(DeviceInstallation.game_id.in_(game_ids))
    )
    collected = (
        select(GameCollection.user_id, CollectionEntry.game_id, Version.platform)
        .join(GameCollection, GameCollection.id == CollectionEntry.collection_id)
        .join(Version, Version.game_id == CollectionEntry.game_id)
        .where(CollectionEntry.game_id.in_(game_ids))
    )
    found: dict[str, dict[str, set[str]]] = {}
    for user_id, game_id, platform in session.execute(installed.union(collected)):
        found.setdefault(user_id, {}).setdefault(game_id, set()).add(platform)
    return found


def _with_existing_tags(
    session: Session, preferences: Sequence[stored.StoredPreferences]
) -> list[stored.StoredPreferences]:
    """Leave out tags that were deleted: no game has them, so nobody who wanted only them would be notified."""
    wanted = {tag for each in preferences for tag in each.tags}
    existing = set(session.scalars(select(Tag.id).where(Tag.id.in_(wanted))))
    return [replace(each, tags=tuple(tag for tag in each.tags if tag in existing)) for each in preferences]


def _in_app_of(user_id: str) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions for the notifications that a user has in the app."""
    return Notification.user_id == user_id, Notification.in_app.is_(True)


def _preferences(kept: Mapping[str, Any] | None) -> stored.StoredPreferences:
    return stored.decode(kept or {}, stored.StoredPreferences)
