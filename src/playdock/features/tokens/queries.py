"""All statements on tokens."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from playdock.models import Token


def add(session: Session, row: Token) -> None:
    session.add(row)


def of_user(session: Session, user_id: str) -> Sequence[Token]:
    return session.scalars(select(Token).where(Token.user_id == user_id).order_by(Token.created, Token.id)).all()


def count_active(session: Session, user_id: str, *, at: datetime) -> int:
    active = select(func.count()).where(Token.user_id == user_id, Token.expires > at)
    return session.scalar(active.select_from(Token)) or 0


def remove(session: Session, token_id: str, *, user_id: str) -> bool:
    statement = delete(Token).where(Token.id == token_id, Token.user_id == user_id)
    return session.scalar(statement.returning(Token.id)) is not None


def remove_any(session: Session, token_id: str) -> None:
    session.execute(delete(Token).where(Token.id == token_id))


def is_known(session: Session, digest: str) -> bool:
    return session.scalar(select(Token.id).where(Token.digest == digest)) is not None


def end_of_user(session: Session, user_id: str) -> None:
    session.execute(delete(Token).where(Token.user_id == user_id))


def delete_expired(session: Session, *, at: datetime) -> None:
    session.execute(delete(Token).where(Token.expires < at))
