"""All statements on webhooks and deliveries."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from playdock.db.locks import LockLevel, record_lock
from playdock.models import Webhook, WebhookDelivery


class DueDelivery(Struct, frozen=True):
    """A delivery and its webhook."""

    delivery: WebhookDelivery
    webhook: Webhook


def list_all(session: Session) -> Sequence[Webhook]:
    return session.scalars(select(Webhook).order_by(Webhook.created, Webhook.id)).all()


def find(session: Session, webhook_id: str) -> Webhook | None:
    return session.get(Webhook, webhook_id)


def lock(session: Session, webhook_id: str) -> Webhook | None:
    """Find a webhook, and let no other transaction change or delete it until this one ends."""
    record_lock(session, LockLevel.WEBHOOK, webhook_id)
    return session.scalar(select(Webhook).where(Webhook.id == webhook_id).with_for_update())


def has_due(session: Session, webhook_id: str, event_type: str) -> bool:
    """Return whether a delivery of a type is still to be sent to a webhook."""
    due = select(WebhookDelivery.id).where(WebhookDelivery.webhook_id == webhook_id, WebhookDelivery.due.is_not(None))
    return session.scalar(due.where(WebhookDelivery.event_type == event_type).limit(1)) is not None


def add(session: Session, webhook: Webhook) -> None:
    session.add(webhook)
    session.flush()


def change(session: Session, webhook_id: str, values: dict[str, Any]) -> bool:
    """Change a webhook; False if there is none."""
    changed = update(Webhook).where(Webhook.id == webhook_id).values({"enabled": Webhook.enabled, **values})
    return session.scalar(changed.returning(Webhook.id)) is not None


def remove(session: Session, webhook_id: str) -> bool:
    """Delete a webhook with its deliveries; False if there is none."""
    return session.scalar(delete(Webhook).where(Webhook.id == webhook_id).returning(Webhook.id)) is not None


def add_deliveries(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        session.execute(insert(WebhookDelivery), rows)


def any_due(session: Session, *, at: datetime) -> bool:
    return session.scalar(_due(at).with_only_columns(WebhookDelivery.id).limit(1)) is not None


def webhooks_due(session: Session, *, at: datetime) -> set[str]:
    """Return the ids of the webhooks that have deliveries to be sent."""
    return set(session.scalars(_due(at).with_only_columns(Webhook.id).distinct()))


def next_due(session: Session, webhook_id: str, *, at: datetime) -> DueDelivery | None:
    """Return the delivery to send next to a webhook: of those with the fewest attempts, the oldest event."""
    of_webhook = _due(at).where(Webhook.id == webhook_id)
    order = (WebhookDelivery.attempts, WebhookDelivery.occurred, WebhookDelivery.due, WebhookDelivery.id)
    found = session.execute(of_webhook.order_by(*order).limit(1)).first()
    return DueDelivery(*found) if found else None


def record_attempt(session: Session, delivery_id: str, values: dict[str, Any]) -> None:
    """Record the result of an attempt."""
    session.execute(update(WebhookDelivery).where(WebhookDelivery.id == delivery_id).values(values))


def redeliver(session: Session, delivery_id: str, *, at: datetime) -> bool:
    """Make a delivery due again, with all its attempts; False if there is none."""
    values = {"due": at, "attempts": 0, "delivered": None}
    changed = update(WebhookDelivery).where(WebhookDelivery.id == delivery_id).values(values)
    return session.scalar(changed.returning(WebhookDelivery.id)) is not None


def of_webhook(session: Session, webhook_id: str, *, offset: int, limit: int) -> Sequence[WebhookDelivery]:
    """Return deliveries of a webhook, newest first."""
    own = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook_id)
    newest = own.order_by(WebhookDelivery.created.desc(), WebhookDelivery.id).offset(offset).limit(limit)
    return session.scalars(newest).all()


def count_of_webhook(session: Session, webhook_id: str) -> int:
    return session.scalar(select(func.count()).where(WebhookDelivery.webhook_id == webhook_id)) or 0


def delete_old(session: Session, *, before: datetime) -> None:
    session.execute(delete(WebhookDelivery).where(WebhookDelivery.created < before))


def _due(at: datetime) -> Any:
    joined = select(WebhookDelivery, Webhook).join(Webhook, Webhook.id == WebhookDelivery.webhook_id)
    return joined.where(WebhookDelivery.due <= at, Webhook.enabled)
