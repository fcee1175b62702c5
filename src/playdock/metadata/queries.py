"""Statements on the state and the cached responses of providers."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_or_ignore
from playdock.db.locks import LockLevel, record_lock
from playdock.models import ProviderResponse, ProviderState


def lock_state(session: Session, source_id: str) -> ProviderState:
    """Return a provider's state, creating it if needed, and lock its row for this transaction."""
    record_lock(session, LockLevel.PROVIDER, source_id)
    values: dict[str, Any] = {"source_id": source_id, "calls": []}
    session.execute(insert_or_ignore(session, ProviderState, values))
    statement = select(ProviderState).where(ProviderState.source_id == source_id).with_for_update()
    return session.scalars(statement).one()


def update_state(session: Session, source_id: str, values: dict[str, Any]) -> None:
    session.execute(update(ProviderState).where(ProviderState.source_id == source_id).values(values))


def find_token(session: Session, source_id: str, *, at: datetime) -> str | None:
    """Return a provider's token, or None if there is none that is valid at this time."""
    statement = select(ProviderState.token).where(
        ProviderState.source_id == source_id, ProviderState.token_expires > at
    )
    return session.scalar(statement)


def find_response(session: Session, digest: str, *, at: datetime) -> bytes | None:
    statement = select(ProviderResponse.body).where(ProviderResponse.digest == digest, ProviderResponse.expires > at)
    return session.scalar(statement)


def store_response(session: Session, values: dict[str, Any]) -> None:
    """Store a response in place of an older one; of two concurrent writers, one wins."""
    session.execute(delete(ProviderResponse).where(ProviderResponse.digest == values["digest"]))
    session.execute(insert_or_ignore(session, ProviderResponse, values))


def delete_expired_responses(session: Session, *, before: datetime) -> None:
    """Delete the responses that expired before a time."""
    session.execute(delete(ProviderResponse).where(ProviderResponse.expires < before))
