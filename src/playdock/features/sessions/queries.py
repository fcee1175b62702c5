"""All statements on sessions."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import Select, delete, select, update
from sqlalchemy.orm import Session

from playdock.auth.queries import session_is_active
from playdock.db.locks import LockLevel, record_lock
from playdock.features.accounts.queries import SIMPLE
from playdock.models import SignInMethod, User, UserSession


class PasswordLogin(Struct, frozen=True):
    """The account data against which a password sign-in is checked."""

    user_id: str
    enabled: bool
    secret: str


def find_password_login(session: Session, normalized_name: str) -> PasswordLogin | None:
    return _login(session, _password_login(normalized_name))


def lock_password_login(session: Session, normalized_name: str) -> PasswordLogin | None:
    """Lock and return it: account and password cannot change until this transaction ends."""
    record_lock(session, LockLevel.USER, normalized_name)
    return _login(session, _password_login(normalized_name).with_for_update())


def add(session: Session, row: UserSession) -> None:
    session.add(row)


def replace_secret(
    session: Session, session_id: str, *, old: str, new: str, old_until: datetime, at: datetime
) -> UserSession | None:
    """Replace the digest of a session's secret and set the time of its authentication.

    Return the session, or None if another request has replaced the digest already.
    """
    statement = update(UserSession).where(UserSession.id == session_id, UserSession.digest == old)
    values = {"digest": new, "replaced_digest": old, "replaced_until": old_until, "authenticated": at}
    return session.scalar(statement.values(values).returning(UserSession))


def set_authenticated(session: Session, session_id: str, *, at: datetime) -> UserSession | None:
    """Set the time of a session's authentication and return the session, None if it has ended."""
    statement = update(UserSession).where(UserSession.id == session_id).values(authenticated=at)
    return session.scalar(statement.returning(UserSession))


def of_user(session: Session, user_id: str, *, at: datetime, idle: timedelta) -> Sequence[UserSession]:
    """Return the active sessions of a user, last used first."""
    statement = select(UserSession).where(UserSession.user_id == user_id, session_is_active(at=at, idle=idle))
    return session.scalars(statement.order_by(UserSession.seen.desc(), UserSession.id)).all()


def end(session: Session, session_id: str, *, user_id: str) -> bool:
    statement = delete(UserSession).where(UserSession.id == session_id, UserSession.user_id == user_id)
    return session.scalar(statement.returning(UserSession.id)) is not None


def end_by_digest(session: Session, digest: str) -> None:
    """End the session whose secret has or had this digest."""
    is_secret = (UserSession.digest == digest) | (UserSession.replaced_digest == digest)
    session.execute(delete(UserSession).where(is_secret))


def end_of_user(session: Session, user_id: str, *, but: str | None = None) -> None:
    """End all sessions of a user, except for one."""
    statement = delete(UserSession).where(UserSession.user_id == user_id)
    session.execute(statement if but is None else statement.where(UserSession.id != but))


def delete_inactive(session: Session, *, at: datetime, idle: timedelta) -> None:
    session.execute(delete(UserSession).where(~session_is_active(at=at, idle=idle)))


def _password_login(normalized_name: str) -> Select[str, bool, str | None]:
    return (
        select(User.id, User.enabled, SignInMethod.secret)
        .join(SignInMethod, SignInMethod.user_id == User.id)
        .where(User.normalized_name == normalized_name, SignInMethod.kind == SIMPLE)
    )


def _login(session: Session, statement: Select[str, bool, str | None]) -> PasswordLogin | None:
    row = session.execute(statement).first()
    return PasswordLogin(row.id, row.enabled, row.secret) if row and row.secret else None
