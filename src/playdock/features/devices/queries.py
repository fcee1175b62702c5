"""Every statement on devices and on those that wait."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_new
from playdock.models import Device, DeviceRequest


def add_request(session: Session, values: dict[str, Any]) -> bool:
    """Add a device that waits; False if another one has its user code."""
    statement = insert_new(
        session, DeviceRequest, values, returning=(DeviceRequest.id,), unique=DeviceRequest.user_code
    )
    return session.scalar(statement) is not None


def find_request(session: Session, digest: str) -> DeviceRequest | None:
    return session.scalar(select(DeviceRequest).where(DeviceRequest.digest == digest))


def find_waiting(session: Session, user_code: str, *, at: datetime) -> DeviceRequest | None:
    return session.scalar(select(DeviceRequest).where(_waits(user_code, at)))


def decide(session: Session, user_code: str, values: dict[str, Any], *, at: datetime) -> bool:
    """Decide about a device that waits, in one statement, so that it is decided about once."""
    statement = update(DeviceRequest).where(_waits(user_code, at)).values(values)
    return session.scalar(statement.returning(DeviceRequest.id)) is not None


def note_poll(session: Session, request: DeviceRequest, *, pause: int, at: datetime) -> bool:
    """Note that a device asks, in one statement; False if it asked once more since ``request`` was read."""
    unchanged = DeviceRequest.polled.is_not_distinct_from(request.polled)
    statement = update(DeviceRequest).where(DeviceRequest.id == request.id, unchanged).values(polled=at, pause=pause)
    return session.scalar(statement.returning(DeviceRequest.id)) is not None


def claim_request(session: Session, request_id: str) -> DeviceRequest | None:
    """Take an approved request out, in one statement, so that it is exchanged once."""
    statement = delete(DeviceRequest).where(
        DeviceRequest.id == request_id, DeviceRequest.user_id.is_not(None), ~DeviceRequest.denied
    )
    return session.scalar(statement.returning(DeviceRequest))


def add(session: Session, row: Device) -> None:
    session.add(row)


def of_user(session: Session, user_id: str) -> Sequence[Device]:
    """Give the devices of a user, last used first."""
    statement = select(Device).where(Device.user_id == user_id).order_by(Device.seen.desc(), Device.id)
    return session.scalars(statement).all()


def remove(session: Session, device_id: str, *, user_id: str) -> bool:
    statement = delete(Device).where(Device.id == device_id, Device.user_id == user_id)
    return session.scalar(statement.returning(Device.id)) is not None


def forget_expired(session: Session, *, at: datetime) -> None:
    session.execute(delete(DeviceRequest).where(DeviceRequest.expires <= at))


def _waits(user_code: str, at: datetime) -> ColumnElement[bool]:
    undecided = DeviceRequest.user_id.is_(None) & ~DeviceRequest.denied
    return (DeviceRequest.user_code == user_code) & (DeviceRequest.expires > at) & undecided
