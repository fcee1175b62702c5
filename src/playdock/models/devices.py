"""Devices of the player's client, and their authorization (RFC 8628)."""

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base, Id


class Device(Base):
    """A computer with the player's client, which acts for a user until it is signed out.

    Only the digest of its secret is stored. Drop's client signs its requests instead: ``certificate`` is the PEM of its
    certificate, and nobody knows a secret with this digest. ``capabilities`` are those that it has announced, in lower
    case and separated by commas; None if that is not known.
    """

    __tablename__ = "devices"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    platform: Mapped[str]
    created: Mapped[datetime]
    seen: Mapped[datetime]
    certificate: Mapped[str | None]
    capabilities: Mapped[str | None]


class DeviceInstallation(Base):
    """A game that a device has reported as installed; without a version if the server no longer has it."""

    __tablename__ = "device_installations"

    device_id: Mapped[str] = mapped_column(ForeignKey("devices.id", ondelete="CASCADE"), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), primary_key=True, index=True)
    version_id: Mapped[str | None] = mapped_column(ForeignKey("versions.id", ondelete="SET NULL"), index=True)


class QueuedInstallation(Base):
    """A game that a user wants a device to install."""

    __tablename__ = "queued_installations"

    device_id: Mapped[str] = mapped_column(ForeignKey("devices.id", ondelete="CASCADE"), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), primary_key=True, index=True)
    queued: Mapped[datetime]


class DeviceRequest(Base):
    """A device that waits for authorization: it shows the user code and polls with its device code.

    ``user_id`` is the user who authorized it; ``denied`` is set if a user denied it. ``polled`` is the time of its last
    poll, ``pause`` the minimum number of seconds between two polls.

    Drop's client has a ``drop_mode``: `callback` or `code`. The user who opened the request first is its ``user_id``,
    ``approved`` is when this user approved it, and ``polled`` when its web socket was last seen.
    ``capabilities`` are those of a device.
    """

    __tablename__ = "device_requests"

    id: Mapped[Id]
    digest: Mapped[str] = mapped_column(unique=True)
    # Encrypted: a digest of the 34 bits that it has could be reversed.
    user_code: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    platform: Mapped[str]
    created: Mapped[datetime]
    expires: Mapped[datetime] = mapped_column(index=True)
    polled: Mapped[datetime | None]
    pause: Mapped[int]
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    denied: Mapped[bool]
    drop_mode: Mapped[str | None]
    approved: Mapped[datetime | None]
    capabilities: Mapped[str | None]


class DropContext(Base):
    """A download by Drop's client of the content that a version had when the download began."""

    __tablename__ = "drop_contexts"

    id: Mapped[Id]
    device_id: Mapped[str] = mapped_column(ForeignKey("devices.id", ondelete="CASCADE"), index=True)
    version_id: Mapped[str] = mapped_column(ForeignKey("versions.id", ondelete="CASCADE"), index=True)
    manifest_etag: Mapped[str]
    used: Mapped[datetime] = mapped_column(index=True)
