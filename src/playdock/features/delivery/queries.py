"""All statements on deliveries and on how users get them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, delete, exists, func, insert, select, update
from sqlalchemy.orm import Session

from playdock import stored
from playdock.db.insertion import insert_into
from playdock.features.delivery.rules import Addressee, DeliveryChannel
from playdock.models import Delivery, DeliveryPreferences, Notification, PushSubscription, User

_COLUMNS = (
    User.id,
    User.username,
    User.display_name,
    User.email,
    User.enabled,
    DeliveryPreferences.preferences,
    DeliveryPreferences.verified_email,
    exists().where(PushSubscription.user_id == User.id).label("has_browser"),
)
# More than somebody uses; a message is sent to the newest ones.
_MAX_BROWSERS = 20


def addressees(session: Session, user_ids: Collection[str]) -> Mapping[str, Addressee]:
    """Return the users who have chosen how they get notifications, by id."""
    joined = select(*_COLUMNS).join(DeliveryPreferences, DeliveryPreferences.user_id == User.id)
    rows = session.execute(joined.where(User.id.in_(user_ids), User.enabled))
    return {row.id: _addressee(row) for row in rows}


def preferences_of(session: Session, user_id: str) -> DeliveryPreferences | None:
    return session.get(DeliveryPreferences, user_id)


def put_preferences(session: Session, user_id: str, preferences: stored.StoredDelivery) -> None:
    """Replace how a user gets notifications; what only newer releases know stays."""
    found = preferences_of(session, user_id)
    _put(session, user_id, preferences={**(found.preferences if found else {}), **stored.encode(preferences)})


def set_verified(session: Session, user_id: str, email: str) -> bool:
    """Record that a user has confirmed an address; False if the account has another one."""
    if session.scalar(select(User.email).where(User.id == user_id)) != email:
        return False
    _put(session, user_id, verified_email=email)
    return True


def set_verification_sent(session: Session, user_id: str, *, at: datetime | None) -> None:
    _put(session, user_id, verification_sent=at)


def put_browser(session: Session, session_id: str, values: Mapping[str, Any]) -> None:
    """Add or replace where the browser of a session receives messages."""
    new = insert_into(session, PushSubscription).values(session_id=session_id, **values)
    session.execute(new.on_conflict_do_update(index_elements=[PushSubscription.session_id], set_=values))


def has_browser(session: Session, session_id: str) -> bool:
    return session.get(PushSubscription, session_id) is not None


def browsers_of(session: Session, user_id: str) -> Sequence[PushSubscription]:
    """Return where the browsers of a user receive messages."""
    own = select(PushSubscription).where(PushSubscription.user_id == user_id)
    return session.scalars(own.order_by(PushSubscription.created.desc()).limit(_MAX_BROWSERS)).all()


def remove_browser(session: Session, session_id: str, *, endpoint: str | None = None) -> None:
    """Send nothing more to the browser of a session; with ``endpoint``, unless it has another one by now."""
    of_session = delete(PushSubscription).where(PushSubscription.session_id == session_id)
    session.execute(of_session if endpoint is None else of_session.where(PushSubscription.endpoint == endpoint))


def set_push_delivered(session: Session, session_id: str, message: str) -> None:
    of_session = update(PushSubscription).where(PushSubscription.session_id == session_id)
    session.execute(of_session.values(delivered=message))


def add(session: Session, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add deliveries that wait for their first attempt."""
    if planned := [{**row, "attempts": 0} for row in rows]:
        session.execute(insert(Delivery), planned)


def any_due(session: Session, channel: DeliveryChannel, *, at: datetime) -> bool:
    return session.scalar(select(Delivery.id).where(*_due(channel, at)).limit(1)) is not None


def next_due(session: Session, channel: DeliveryChannel, *, at: datetime) -> Delivery | None:
    """Return the delivery of a channel that is due for the longest time."""
    return session.scalar(select(Delivery).where(*_due(channel, at)).order_by(Delivery.due, Delivery.id).limit(1))


def make_message(session: Session, first: Delivery, message: str, *, at: datetime) -> None:
    """Put all deliveries of a user that are due, and in no message yet, into one."""
    same = (Delivery.user_id == first.user_id, Delivery.message.is_(None))
    session.execute(
        update(Delivery).where(*_due(DeliveryChannel(first.channel), at), *same).values(message=message),
        execution_options={"synchronize_session": False},
    )


def begin_attempt(session: Session, message: str, *, due: datetime) -> None:
    """Count an attempt to send a message, and set when the next one may be made if this one is interrupted."""
    _change_message(session, message, attempts=Delivery.attempts + 1, due=due)


def take_back(session: Session, message: str, *, due: datetime) -> None:
    """Count an attempt no more, because it says nothing about the message."""
    _change_message(session, message, attempts=Delivery.attempts - 1, due=due)


def delay(session: Session, message: str, *, due: datetime) -> None:
    """Set when the next attempt to send a message is made."""
    _change_message(session, message, due=due)


def postpone(session: Session, delivery: Delivery, *, due: datetime) -> None:
    """Postpone what a channel would deliver to a user before a time."""
    session.execute(
        update(Delivery)
        .where(Delivery.user_id == delivery.user_id, Delivery.channel == delivery.channel, Delivery.due < due)
        .values(due=due),
        execution_options={"synchronize_session": False},
    )


def notifications_in(session: Session, message: str, *, limit: int) -> tuple[Sequence[Notification], int]:
    """Return the newest notifications of a message, newest first, and how many there are."""
    in_message = select(Notification).join(Delivery, Delivery.notification_id == Notification.id)
    newest = in_message.where(Delivery.message == message).order_by(Notification.id.desc()).limit(limit)
    total = session.scalar(select(func.count()).select_from(Delivery).where(Delivery.message == message))
    return session.scalars(newest).all(), total or 0


def subjects_in(session: Session, message: str, *, limit: int) -> Sequence[Row[int, str, str]]:
    """Return the ids of the newest notifications of a message, their types of events, and their nonces."""
    columns = select(Notification.id, Notification.event_type, Notification.nonce)
    return session.execute(
        columns.join(Delivery, Delivery.notification_id == Notification.id)
        .where(Delivery.message == message)
        .order_by(Notification.id.desc())
        .limit(limit)
    ).all()


def leave_out(session: Session, message: str, notification_ids: Collection[int]) -> None:
    """Take notifications out of a message; they are not delivered."""
    some = Delivery.notification_id.in_(sorted(notification_ids))
    session.execute(delete(Delivery).where(Delivery.message == message, some))


def remove_message(session: Session, message: str) -> None:
    session.execute(delete(Delivery).where(Delivery.message == message))


def remove_unwanted(session: Session, user_id: str, channel: DeliveryChannel, *, wanted: Collection[str]) -> None:
    """Delete the deliveries of a channel to a user, except those of wanted types of events."""
    others = select(Notification.id).where(Notification.user_id == user_id, Notification.event_type.not_in(wanted))
    of_user = (Delivery.user_id == user_id, Delivery.channel == channel.value)
    session.execute(
        delete(Delivery).where(*of_user, Delivery.notification_id.in_(others)),
        execution_options={"synchronize_session": False},
    )


def reschedule(session: Session, user_id: str, *, due: datetime) -> None:
    """Change when everything is delivered to a user that no attempt has been made for."""
    waiting = update(Delivery).where(Delivery.user_id == user_id, Delivery.message.is_(None))
    session.execute(waiting.values(due=due), execution_options={"synchronize_session": False})


def remove_old(session: Session, channel: DeliveryChannel, *, before: datetime) -> None:
    session.execute(delete(Delivery).where(Delivery.channel == channel, Delivery.created < before))


def _put(session: Session, user_id: str, **values: Any) -> None:
    row = {"preferences": {}, **values}
    new = insert_into(session, DeliveryPreferences).values(user_id=user_id, **row)
    session.execute(new.on_conflict_do_update(index_elements=[DeliveryPreferences.user_id], set_=values))


def _change_message(session: Session, message: str, **values: Any) -> None:
    statement = update(Delivery).where(Delivery.message == message).values(**values)
    session.execute(statement, execution_options={"synchronize_session": False})


def _due(channel: DeliveryChannel, at: datetime) -> tuple[ColumnElement[bool], ...]:
    return (Delivery.channel == channel.value, Delivery.due <= at)


def _addressee(row: Any) -> Addressee:
    preferences = stored.decode(row.preferences, stored.StoredDelivery)
    verified = row.email if row.email and row.email == row.verified_email else ""
    return Addressee(row.id, row.display_name or row.username, verified, preferences, row.has_browser)
