"""Webhooks of programs, and what is delivered to them."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Webhook(Base):
    """A URL to which events are sent. Without ``event_types`` it gets all. ``secret`` is encrypted."""

    __tablename__ = "webhooks"

    id: Mapped[Id]
    url: Mapped[str]
    secret: Mapped[str]
    event_types: Mapped[list[str]] = mapped_column(JSON)
    enabled: Mapped[bool]
    created: Mapped[datetime]


class WebhookDelivery(Base):
    """An event for a webhook. ``due`` is the time of the next attempt, None if there is none.

    ``delivered`` is the time at which it was accepted. ``status`` is that of the last response, None without one;
    ``error`` says why there was none.
    """

    __tablename__ = "webhook_deliveries"
    __table_args__ = (Index(None, "due"), Index(None, "webhook_id", "created", "id"), Index(None, "created"))

    id: Mapped[Id]
    webhook_id: Mapped[str] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    event_type: Mapped[str]
    occurred: Mapped[datetime]
    data: Mapped[dict[str, Any]] = mapped_column(JSON)
    created: Mapped[datetime]
    attempts: Mapped[int]
    due: Mapped[datetime | None]
    delivered: Mapped[datetime | None]
    status: Mapped[int | None]
    error: Mapped[str | None]
    error_code: Mapped[str | None]
    error_parameters: Mapped[dict[str, Any]] = mapped_column(JSON)
