"""All statements on devices and pending device requests."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_or_ignore
from playdock.models import Device, DeviceRequest


def add_request(session: Session, values: dict[str, Any]) -> bool:
    """Add a pending request; False if another one has the user code."""
    statement = insert_or_ignore(
        session, DeviceRequest, values, returning=(DeviceRequest.id,), unique=DeviceRequest.user_code
    )
    return session.scalar(statement) is not None


def find_request(session: Session, digest: str) -> DeviceRequest | None:
    """Return the request of the player's client with a device code."""
    is_own = DeviceRequest.drop_mode.is_(None)
    return session.scalar(select(DeviceRequest).where(DeviceRequest.digest == digest, is_own))


def find_pending(session: Session, user_code: str, *, at: datetime) -> DeviceRequest | None:
    return session.scalar(select(DeviceRequest).where(_is_pending(user_code, at)))


def decide(session: Session, user_code: str, values: dict[str, Any], *, at: datetime) -> bool:
    """Record the decision on a pending request, in one statement, so that only one decision counts."""
    statement = update(DeviceRequest).where(_is_pending(user_code, at)).values(values)
    return session.scalar(statement.returning(DeviceRequest.id)) is not None


def note_poll(session: Session, request: DeviceRequest, *, pause: int, at: datetime) -> bool:
    """Record a poll, in one statement; False if another poll was recorded since ``request`` was read."""
    unchanged = DeviceRequest.polled.is_not_distinct_from(request.polled)
    statement = update(DeviceRequest).where(DeviceRequest.id == request.id, unchanged).values(polled=at, pause=pause)
    return session.scalar(statement.returning(DeviceRequest.id)) is not None


def claim_request(session: Session, request_id: str) -> DeviceRequest | None:
    """Delete and return an authorized request, in one statement, so that it is exchanged only once."""
    statement = delete(DeviceRequest).where(
        DeviceRequest.id == request_id, DeviceRequest.user_id.is_not(None), ~DeviceRequest.denied
    )
    return session.scalar(statement.returning(DeviceRequest))


def add(session: Session, row: Device) -> None:
    session.add(row)


def find(session: Session, device_id: str) -> Device | None:
    return session.get(Device, device_id)


def set_capabilities(session: Session, device_id: str, capabilities: str) -> None:
    session.execute(update(Device).where(Device.id == device_id).values(capabilities=capabilities))


def of_user(session: Session, user_id: str) -> Sequence[Device]:
    """Return the devices of a user, last used first."""
    statement = select(Device).where(Device.user_id == user_id).order_by(Device.seen.desc(), Device.id)
    return session.scalars(statement).all()


def remove(session: Session, device_id: str, *, user_id: str) -> bool:
    statement = delete(Device).where(Device.id == device_id, Device.user_id == user_id)
    return session.scalar(statement.returning(Device.id)) is not None


def end_of_user(session: Session, user_id: str) -> None:
    """Delete a user's devices, and deny the requests that the user approved and that are not exchanged yet."""
    session.execute(delete(Device).where(Device.user_id == user_id))
    session.execute(update(DeviceRequest).where(DeviceRequest.user_id == user_id).values(denied=True))


def delete_expired(session: Session, *, at: datetime) -> None:
    session.execute(delete(DeviceRequest).where(DeviceRequest.expires <= at))


def find_drop_request(session: Session, request_id: str, *, at: datetime) -> DeviceRequest | None:
    return session.scalar(select(DeviceRequest).where(_is_of_drop(at), DeviceRequest.id == request_id))


def find_drop_code(session: Session, user_code: str, *, at: datetime) -> DeviceRequest | None:
    return session.scalar(select(DeviceRequest).where(_is_of_drop(at), DeviceRequest.user_code == user_code))


def bind_drop_request(session: Session, request_id: str, *, user_id: str, at: datetime) -> bool:
    """Bind a request to the first user who opens it, in one statement; False if another one has opened it."""
    is_free = DeviceRequest.user_id.is_(None) | (DeviceRequest.user_id == user_id)
    statement = update(DeviceRequest).where(_is_of_drop(at), DeviceRequest.id == request_id, is_free)
    return session.scalar(statement.values(user_id=user_id).returning(DeviceRequest.id)) is not None


def change_drop_request(session: Session, request_id: str, values: dict[str, Any]) -> None:
    session.execute(update(DeviceRequest).where(DeviceRequest.id == request_id).values(values))


def claim_drop_request(session: Session, request_id: str, *, at: datetime) -> DeviceRequest | None:
    """Delete and return an approved request, in one statement, so that it is completed only once."""
    approved = delete(DeviceRequest).where(_is_of_drop(at), DeviceRequest.id == request_id)
    return session.scalar(approved.where(DeviceRequest.approved.is_not(None)).returning(DeviceRequest))


def _is_of_drop(at: datetime) -> ColumnElement[bool]:
    return DeviceRequest.drop_mode.is_not(None) & (DeviceRequest.expires > at) & ~DeviceRequest.denied


def _is_pending(user_code: str, at: datetime) -> ColumnElement[bool]:
    undecided = DeviceRequest.user_id.is_(None) & ~DeviceRequest.denied & DeviceRequest.drop_mode.is_(None)
    return (DeviceRequest.user_code == user_code) & (DeviceRequest.expires > at) & undecided
