"""Statements on what is kept of providers."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from playdock.db.insertion import insert_new
from playdock.models import ProviderAnswer, ProviderState


def hold_state(session: Session, source_id: str) -> ProviderState:
    """Find what is known of a provider, made at the first time, and keep it for this transaction."""
    values: dict[str, Any] = {"source_id": source_id, "calls": []}
    session.execute(insert_new(session, ProviderState, values, returning=(ProviderState.source_id,)))
    statement = select(ProviderState).where(ProviderState.source_id == source_id).with_for_update()
    return session.scalars(statement).one()


def change_state(session: Session, source_id: str, values: dict[str, Any]) -> None:
    session.execute(update(ProviderState).where(ProviderState.source_id == source_id).values(values))


def find_token(session: Session, source_id: str, *, at: datetime) -> str | None:
    """Give a provider's token that still holds."""
    statement = select(ProviderState.token).where(
        ProviderState.source_id == source_id, ProviderState.token_expires > at
    )
    return session.scalar(statement)


def find_answer(session: Session, digest: str, *, at: datetime) -> bytes | None:
    statement = select(ProviderAnswer.body).where(ProviderAnswer.digest == digest, ProviderAnswer.expires > at)
    return session.scalar(statement)


def keep_answer(session: Session, values: dict[str, Any]) -> None:
    """Keep an answer instead of an older one; of two who do so at the same time, either's."""
    session.execute(delete(ProviderAnswer).where(ProviderAnswer.digest == values["digest"]))
    session.execute(insert_new(session, ProviderAnswer, values, returning=(ProviderAnswer.digest,)))


def forget_answers(session: Session, *, before: datetime) -> None:
    """Delete the answers that have not been of use since that moment."""
    session.execute(delete(ProviderAnswer).where(ProviderAnswer.expires < before))
