"""Notifications that wait to be delivered outside of the app."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Delivery(Base):
    """A notification that waits to be delivered through a channel. The row is deleted when it has been.

    Those with the same ``message`` are delivered together. It is set before the first attempt and never changes, so
    that each attempt sends the same message. ``due`` is when the next attempt may be made.
    """

    __tablename__ = "deliveries"
    __table_args__ = (
        UniqueConstraint("notification_id", "channel"),
        Index(None, "channel", "due"),
        Index(None, "user_id", "channel"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    notification_id: Mapped[int] = mapped_column(ForeignKey("notifications.id", ondelete="CASCADE"))
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    channel: Mapped[str]
    created: Mapped[datetime]
    due: Mapped[datetime]
    message: Mapped[str | None] = mapped_column(index=True)
    attempts: Mapped[int]


class PushSubscription(Base):
    """Where a browser receives messages: the browser of a session, as long as it is signed in.

    ``endpoint`` and ``auth_secret`` are encrypted. ``delivered`` is the last message that was accepted for it.
    """

    __tablename__ = "push_subscriptions"

    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    endpoint: Mapped[str]
    public_key: Mapped[str]
    auth_secret: Mapped[str]
    created: Mapped[datetime]
    delivered: Mapped[str | None]


class DeliveryPreferences(Base):
    """How a user gets notifications outside of the app: a `stored.StoredDelivery`.

    ``verified_email`` is the address that the user has confirmed; a message is sent only while it is the account's.
    ``verification_sent`` is when the last message to confirm an address was sent.
    """

    __tablename__ = "delivery_preferences"

    user_id: Mapped[Id] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    preferences: Mapped[dict[str, Any]] = mapped_column(JSON)
    verified_email: Mapped[str | None]
    verification_sent: Mapped[datetime | None]
