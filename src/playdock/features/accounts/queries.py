"""All statements on users and their sign-in methods."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from playdock.auth.actor import UserInfo
from playdock.auth.queries import USER_COLUMNS
from playdock.db.insertion import insert_or_ignore
from playdock.db.locks import LockLevel, record_lock
from playdock.features.accounts.rules import normalize
from playdock.kit.identifiers import new_id
from playdock.models import PasswordReset, SignInMethod, User, UserSession

SIMPLE = "Simple"
OPENID = "OpenID"
# Rows that are fetched at once while users are searched.
_BLOCK = 500


class NewUser(Struct, frozen=True):
    """The values of a user to add."""

    id: str
    username: str
    display_name: str
    email: str
    picture_id: str
    admin: bool


def add_user(session: Session, new: NewUser, *, at: datetime) -> UserInfo | None:
    """Add a user, in one statement; None if the user name is taken, ignoring case."""
    values = {
        "id": new.id,
        "username": new.username,
        "normalized_name": normalize(new.username),
        "display_name": new.display_name,
        "email": new.email,
        "picture_id": new.picture_id,
        "admin": new.admin,
        "enabled": True,
        "created": at,
    }
    statement = insert_or_ignore(session, User, values, returning=USER_COLUMNS, unique=User.normalized_name)
    row = session.execute(statement).first()
    return UserInfo(*row) if row else None


def any_user_exists(session: Session) -> bool:
    return bool(session.scalar(select(exists().select_from(User))))


def list_users(session: Session) -> list[UserInfo]:
    """Return all users by name."""
    return [UserInfo(*row) for row in session.execute(select(*USER_COLUMNS).order_by(User.normalized_name))]


def users_after(
    session: Session, username: str, *, admin: bool | UnsetType, enabled: bool | UnsetType
) -> Iterator[UserInfo]:
    """Yield the users whose name follows a user name, by name; ``admin`` and ``enabled`` select some of them."""
    statement = select(*USER_COLUMNS).order_by(User.normalized_name).limit(_BLOCK)
    if admin is not UNSET:
        statement = statement.where(User.admin.is_(admin))
    if enabled is not UNSET:
        statement = statement.where(User.enabled.is_(enabled))
    last: str | None = username
    while last is not None:
        block = session.execute(statement.where(User.normalized_name > normalize(last))).all()
        last = block[-1].username if len(block) == _BLOCK else None
        yield from (UserInfo(*row) for row in block)


def find_user(session: Session, user_id: str) -> UserInfo | None:
    row = session.execute(select(*USER_COLUMNS).where(User.id == user_id)).first()
    return UserInfo(*row) if row else None


def lock_user(session: Session, user_id: str) -> UserInfo | None:
    """Lock and return a user; None if there is no such user."""
    record_lock(session, LockLevel.USER, user_id)
    row = session.execute(select(*USER_COLUMNS).where(User.id == user_id).with_for_update()).first()
    return UserInfo(*row) if row else None


def lock_session(session: Session, session_id: str) -> str | None:
    """Lock a session until this transaction ends, and return its user's id; None if it has ended."""
    record_lock(session, LockLevel.SESSION, session_id)
    return session.scalar(select(UserSession.user_id).where(UserSession.id == session_id).with_for_update())


def find_by_name(session: Session, username: str) -> UserInfo | None:
    row = session.execute(select(*USER_COLUMNS).where(User.normalized_name == normalize(username))).first()
    return UserInfo(*row) if row else None


def change(session: Session, user_id: str, values: dict[str, Any]) -> UserInfo | None:
    row = session.execute(update(User).where(User.id == user_id).values(values).returning(*USER_COLUMNS)).first()
    return UserInfo(*row) if row else None


def remove(session: Session, user_id: str) -> UserInfo | None:
    """Delete a user with all sessions, tokens and sign-in methods."""
    row = session.execute(delete(User).where(User.id == user_id).returning(*USER_COLUMNS)).first()
    return UserInfo(*row) if row else None


def lock_enabled_admins(session: Session) -> Sequence[str]:
    """Lock all enabled admins until this transaction ends, and return their ids."""
    record_lock(session, LockLevel.ADMINS)
    statement = select(User.id).where(User.admin, User.enabled).order_by(User.id).with_for_update()
    return session.scalars(statement).all()


def password_hash(session: Session, user_id: str) -> str | None:
    statement = select(SignInMethod.secret).where(SignInMethod.user_id == user_id, SignInMethod.kind == SIMPLE)
    return session.scalar(statement)


def set_password(session: Session, user_id: str, hashed: str) -> None:
    """Set a user's password, whether or not one exists."""
    changed = session.scalar(
        update(SignInMethod)
        .where(SignInMethod.user_id == user_id, SignInMethod.kind == SIMPLE)
        .values(secret=hashed)
        .returning(SignInMethod.id)
    )
    if changed is None:
        session.add(SignInMethod(id=new_id(), user_id=user_id, kind=SIMPLE, subject=None, secret=hashed))


def link_identity(session: Session, user_id: str, subject: str) -> bool:
    """Let a user sign in as a subject of the identity provider; return False if one of the two is linked already."""
    values = {"id": new_id(), "user_id": user_id, "kind": OPENID, "subject": subject, "secret": None}
    return session.scalar(insert_or_ignore(session, SignInMethod, values, returning=(SignInMethod.id,))) is not None


def remove_sign_in_method(session: Session, method_id: str) -> None:
    session.execute(delete(SignInMethod).where(SignInMethod.id == method_id))


def exchange_password(session: Session, user_id: str, *, old_hash: str, new_hash: str) -> bool:
    """Replace a password unless it was changed concurrently; return whether it was replaced."""
    changed = session.scalar(
        update(SignInMethod)
        .where(SignInMethod.user_id == user_id, SignInMethod.kind == SIMPLE, SignInMethod.secret == old_hash)
        .values(secret=new_hash)
        .returning(SignInMethod.id)
    )
    return changed is not None


def add_reset(session: Session, user_id: str, *, digest: str, expires: datetime) -> None:
    """Add a reset link, replacing all previous ones of the user."""
    remove_reset(session, user_id)
    session.add(PasswordReset(digest=digest, user_id=user_id, expires=expires))


def remove_reset(session: Session, user_id: str) -> None:
    session.execute(delete(PasswordReset).where(PasswordReset.user_id == user_id))


def reset_is_valid(session: Session, digest: str, *, at: datetime) -> bool:
    return session.scalar(select(_valid(digest, at))) is True


def find_user_of_reset(session: Session, digest: str, *, at: datetime) -> UserInfo | None:
    """Return the user of a reset link, without using it; None if it is unknown or expired."""
    statement = select(*USER_COLUMNS).join(PasswordReset, PasswordReset.user_id == User.id)
    row = session.execute(statement.where(PasswordReset.digest == digest, PasswordReset.expires > at)).first()
    return UserInfo(*row) if row else None


def claim_reset(session: Session, digest: str, *, at: datetime) -> str | None:
    """Consume a reset link, in one statement, and return the user's id; None if it is unknown or expired."""
    statement = delete(PasswordReset).where(PasswordReset.digest == digest, PasswordReset.expires > at)
    return session.scalar(statement.returning(PasswordReset.user_id))


def delete_resets(session: Session, *, before: datetime) -> None:
    session.execute(delete(PasswordReset).where(PasswordReset.expires < before))


def _valid(digest: str, at: datetime) -> Any:
    return exists().where(PasswordReset.digest == digest, PasswordReset.expires > at)
