"""Every statement on users and their mechanisms."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from playdock.auth.actor import Person
from playdock.auth.queries import PERSON
from playdock.db.insertion import insert_new
from playdock.features.accounts.rules import fold
from playdock.kit.secrets import new_id
from playdock.models import Device, DeviceRequest, DownloadLink, Mechanism, PasswordReset, User, UserSession

SIMPLE = "Simple"
OPENID = "OpenID"


@dataclass(frozen=True, slots=True)
class NewUser:
    """A person who is about to have an account."""

    id: str
    username: str
    display_name: str
    email: str
    picture_id: str
    admin: bool


def add_user(session: Session, new: NewUser, *, at: datetime) -> Person | None:
    """Add a user, in one statement; None if somebody has the name in whatever case."""
    values = {
        "id": new.id,
        "username": new.username,
        "folded": fold(new.username),
        "display_name": new.display_name,
        "email": new.email,
        "picture_id": new.picture_id,
        "admin": new.admin,
        "enabled": True,
        "created": at,
    }
    statement = insert_new(session, User, values, returning=PERSON, unique=User.folded)
    row = session.execute(statement).first()
    return Person(*row) if row else None


def any_user(session: Session) -> bool:
    return bool(session.scalar(select(exists().select_from(User))))


def people(session: Session) -> list[Person]:
    """Give all users by name."""
    return [Person(*row) for row in session.execute(select(*PERSON).order_by(User.folded))]


def find_person(session: Session, user_id: str) -> Person | None:
    row = session.execute(select(*PERSON).where(User.id == user_id)).first()
    return Person(*row) if row else None


def hold_person(session: Session, user_id: str) -> Person | None:
    """Find a user whose row nobody else changes until this transaction ends."""
    row = session.execute(select(*PERSON).where(User.id == user_id).with_for_update()).first()
    return Person(*row) if row else None


def find_by_name(session: Session, username: str) -> Person | None:
    row = session.execute(select(*PERSON).where(User.folded == fold(username))).first()
    return Person(*row) if row else None


def change(session: Session, user_id: str, values: dict[str, Any]) -> Person | None:
    row = session.execute(update(User).where(User.id == user_id).values(values).returning(*PERSON)).first()
    return Person(*row) if row else None


def remove(session: Session, user_id: str) -> Person | None:
    """Delete a user with sessions, tokens and mechanisms."""
    row = session.execute(delete(User).where(User.id == user_id).returning(*PERSON)).first()
    return Person(*row) if row else None


def hold_enabled_admins(session: Session) -> Sequence[str]:
    """Give the ids of all enabled admins, and keep others from changing them until this transaction ends."""
    statement = select(User.id).where(User.admin, User.enabled).order_by(User.id).with_for_update()
    return session.scalars(statement).all()


def password_hash(session: Session, user_id: str) -> str | None:
    statement = select(Mechanism.secret).where(Mechanism.user_id == user_id, Mechanism.kind == SIMPLE)
    return session.scalar(statement)


def set_password(session: Session, user_id: str, hashed: str) -> None:
    """Give a user a password, whether or not there was one."""
    changed = session.scalar(
        update(Mechanism)
        .where(Mechanism.user_id == user_id, Mechanism.kind == SIMPLE)
        .values(secret=hashed)
        .returning(Mechanism.id)
    )
    if changed is None:
        session.add(Mechanism(id=new_id(), user_id=user_id, kind=SIMPLE, subject=None, secret=hashed))


def exchange_password(session: Session, user_id: str, *, old_hash: str, new_hash: str) -> bool:
    """Replace a password if nobody has replaced it meanwhile."""
    changed = session.scalar(
        update(Mechanism)
        .where(Mechanism.user_id == user_id, Mechanism.kind == SIMPLE, Mechanism.secret == old_hash)
        .values(secret=new_hash)
        .returning(Mechanism.id)
    )
    return changed is not None


def end_sessions(session: Session, user_id: str, *, but: str | None = None) -> None:
    """Sign a user out everywhere, except for one session."""
    statement = delete(UserSession).where(UserSession.user_id == user_id)
    session.execute(statement if but is None else statement.where(UserSession.id != but))


def end_devices(session: Session, user_id: str) -> None:
    """Sign a user's devices out, and refuse those that the user let in and that did not come yet."""
    session.execute(delete(Device).where(Device.user_id == user_id))
    session.execute(update(DeviceRequest).where(DeviceRequest.user_id == user_id).values(denied=True))


def end_links(session: Session, user_id: str) -> None:
    """Revoke a user's signed links."""
    session.execute(delete(DownloadLink).where(DownloadLink.user_id == user_id))


def add_reset(session: Session, user_id: str, *, digest: str, expires: datetime) -> None:
    """Make a reset link the only one of its user."""
    session.execute(delete(PasswordReset).where(PasswordReset.user_id == user_id))
    session.add(PasswordReset(digest=digest, user_id=user_id, expires=expires))


def reset_is_valid(session: Session, digest: str, *, at: datetime) -> bool:
    return session.scalar(select(_valid(digest, at))) is True


def claim_reset(session: Session, digest: str, *, at: datetime) -> str | None:
    """Use up a reset link, in one statement, and give whose it was."""
    statement = delete(PasswordReset).where(PasswordReset.digest == digest, PasswordReset.expires > at)
    return session.scalar(statement.returning(PasswordReset.user_id))


def forget_resets(session: Session, *, before: datetime) -> None:
    session.execute(delete(PasswordReset).where(PasswordReset.expires < before))


def _valid(digest: str, at: datetime) -> Any:
    return exists().where(PasswordReset.digest == digest, PasswordReset.expires > at)
