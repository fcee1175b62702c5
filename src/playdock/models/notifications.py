"""Events, the notifications that they cause, and what users want to be notified of."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, UniqueConstraint, true
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Event(Base):
    """Something that happened. It is *announced* when all notifications about it are written.

    ``nonce`` keeps an event from being recorded twice. ``batch`` is set once it has been decided with which other
    events it is announced, so that an interrupted announcement is continued with the same ones. ``dispatched`` is the
    time at which deliveries to webhooks were made of it. ``position`` is its place in event streams, None until one
    needs it.
    """

    __tablename__ = "events"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    event_type: Mapped[str]
    nonce: Mapped[str] = mapped_column(unique=True)
    data: Mapped[dict[str, Any]] = mapped_column(JSON)
    created: Mapped[datetime]
    batch: Mapped[str | None] = mapped_column(index=True)
    announced: Mapped[datetime | None] = mapped_column(index=True)
    dispatched: Mapped[datetime | None] = mapped_column(index=True)
    position: Mapped[int | None] = mapped_column(index=True, unique=True)


class Notification(Base):
    """A notification of a user. ``nonce`` names what it is about, and keeps it from being written twice.

    Those that are not ``in_app`` are only delivered in other ways: the user has turned their kind off in the app.
    """

    __tablename__ = "notifications"
    __table_args__ = (UniqueConstraint("user_id", "nonce"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    nonce: Mapped[str]
    event_type: Mapped[str]
    title: Mapped[str]
    title_code: Mapped[str]
    title_parameters: Mapped[dict[str, Any]] = mapped_column(JSON)
    description: Mapped[str]
    description_code: Mapped[str | None]
    description_parameters: Mapped[dict[str, Any]] = mapped_column(JSON)
    link: Mapped[str]
    created: Mapped[datetime] = mapped_column(index=True)
    read: Mapped[bool]
    in_app: Mapped[bool] = mapped_column(default=True, server_default=true())


class NotificationPreferences(Base):
    """What a user wants to be notified of: a `stored.StoredPreferences`."""

    __tablename__ = "notification_preferences"

    user_id: Mapped[Id] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    preferences: Mapped[dict[str, Any]] = mapped_column(JSON)
