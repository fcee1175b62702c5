"""Devices of the player's client, and how one asks to be let in (RFC 8628)."""

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Device(Base):
    """A machine with the player's client that acts for a user until it is signed out; only its secret's digest."""

    __tablename__ = "devices"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    platform: Mapped[str]
    created: Mapped[datetime]
    seen: Mapped[datetime]


class DeviceRequest(Base):
    """A device that waits to be let in: it shows the user code to a person, and asks again with its device code.

    Who has approved it is ``user_id``; ``denied`` says that somebody refused. ``polled`` is when it asked last and
    ``pause`` how many seconds it has to leave between two questions.
    """

    __tablename__ = "device_requests"

    id: Mapped[Id]
    digest: Mapped[str] = mapped_column(unique=True)
    user_code: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    platform: Mapped[str]
    created: Mapped[datetime]
    expires: Mapped[datetime] = mapped_column(index=True)
    polled: Mapped[datetime | None]
    pause: Mapped[int]
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    denied: Mapped[bool]
