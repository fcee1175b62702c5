"""All statements on flows, guided tests, and users by their subject."""

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from playdock.auth.actor import UserInfo
from playdock.auth.queries import USER_COLUMNS
from playdock.features.accounts.queries import OPENID
from playdock.models import OpenIdFlow, OpenIdSession, OpenIdTest, SignInMethod, User


def add(session: Session, row: OpenIdFlow | OpenIdTest) -> None:
    session.add(row)


def claim_flow(session: Session, state: str, *, browser: str, at: datetime) -> OpenIdFlow | None:
    """Delete and return a flow, in one statement, so that it ends only once and only in the browser that started it."""
    statement = delete(OpenIdFlow).where(
        OpenIdFlow.state == state, OpenIdFlow.browser == browser, OpenIdFlow.expires > at
    )
    return session.scalar(statement.returning(OpenIdFlow))


def delete_expired(session: Session, *, at: datetime) -> None:
    session.execute(delete(OpenIdFlow).where(OpenIdFlow.expires <= at))
    session.execute(delete(OpenIdTest).where(OpenIdTest.expires <= at))


def find_user(session: Session, subject: str) -> UserInfo | None:
    statement = select(*USER_COLUMNS).join(SignInMethod, SignInMethod.user_id == User.id)
    row = session.execute(statement.where(SignInMethod.kind == OPENID, SignInMethod.subject == subject)).first()
    return UserInfo(*row) if row else None


def find_subject(session: Session, user_id: str) -> str | None:
    statement = select(SignInMethod.subject).where(SignInMethod.user_id == user_id, SignInMethod.kind == OPENID)
    return session.scalar(statement)


def names_beginning(session: Session, stem: str) -> Iterator[str]:
    """Return the normalized user names that start with a normalized prefix."""
    return iter(
        session.scalars(select(User.normalized_name).where(User.normalized_name.startswith(stem, autoescape=True)))
    )


def add_id_token(session: Session, session_id: str, id_token: str) -> None:
    session.flush()  # inserts the session, to which the row refers
    session.add(OpenIdSession(session_id=session_id, id_token=id_token))


def id_token_of(session: Session, session_id: str) -> str | None:
    return session.scalar(select(OpenIdSession.id_token).where(OpenIdSession.session_id == session_id))


def open_test(session: Session, digest: str, *, at: datetime) -> bool:
    """Mark the link of a guided test as used, in one statement; False if it is unknown, used or expired."""
    statement = update(OpenIdTest).where(OpenIdTest.digest == digest, ~OpenIdTest.opened, OpenIdTest.expires > at)
    return session.scalar(statement.values(opened=True).returning(OpenIdTest.digest)) is not None


def record_test_result(session: Session, digest: str, *, claims: str | None, refusal: str | None) -> None:
    session.execute(update(OpenIdTest).where(OpenIdTest.digest == digest).values(claims=claims, refusal=refusal))


def find_test(session: Session, digest: str) -> OpenIdTest | None:
    return session.get(OpenIdTest, digest)
