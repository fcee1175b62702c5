"""Every statement on sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, delete, select
from sqlalchemy.orm import Session

from playdock.features.accounts.queries import SIMPLE
from playdock.models import Mechanism, User, UserSession


@dataclass(frozen=True, slots=True)
class SimpleLogin:
    """What a sign-in with a password is checked against."""

    user_id: str
    enabled: bool
    secret: str


def find_simple(session: Session, folded: str) -> SimpleLogin | None:
    return _login(session, _simple(folded))


def hold_simple(session: Session, folded: str) -> SimpleLogin | None:
    """Find it, and keep account and password from changing until this transaction ends."""
    return _login(session, _simple(folded).with_for_update())


def add(session: Session, row: UserSession) -> None:
    session.add(row)


def of_user(session: Session, user_id: str, *, at: datetime) -> Sequence[UserSession]:
    """Give the living sessions of a user, last used first."""
    statement = select(UserSession).where(UserSession.user_id == user_id, UserSession.expires > at)
    return session.scalars(statement.order_by(UserSession.seen.desc(), UserSession.id)).all()


def end(session: Session, session_id: str, *, user_id: str) -> bool:
    statement = delete(UserSession).where(UserSession.id == session_id, UserSession.user_id == user_id)
    return session.scalar(statement.returning(UserSession.id)) is not None


def forget_expired(session: Session, *, at: datetime) -> None:
    session.execute(delete(UserSession).where(UserSession.expires < at))


def _simple(folded: str) -> Select[str, bool, str | None]:
    return (
        select(User.id, User.enabled, Mechanism.secret)
        .join(Mechanism, Mechanism.user_id == User.id)
        .where(User.folded == folded, Mechanism.kind == SIMPLE)
    )


def _login(session: Session, statement: Select[str, bool, str | None]) -> SimpleLogin | None:
    row = session.execute(statement).first()
    return SimpleLogin(row.id, row.enabled, row.secret) if row and row.secret else None
