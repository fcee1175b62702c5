"""Every statement on flows, on guided tests, and on people by their subject."""

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from playdock.auth.actor import Person
from playdock.auth.queries import PERSON
from playdock.db.insertion import insert_new
from playdock.features.accounts.queries import OPENID
from playdock.kit.secrets import new_id
from playdock.models import Mechanism, OpenIdFlow, OpenIdSession, OpenIdTest, User, UserSession


def add(session: Session, row: OpenIdFlow | OpenIdTest) -> None:
    session.add(row)


def claim_flow(session: Session, state: str, *, browser: str, at: datetime) -> OpenIdFlow | None:
    """Take a flow out, in one statement, so that it ends once; only for the browser that began it."""
    statement = delete(OpenIdFlow).where(
        OpenIdFlow.state == state, OpenIdFlow.browser == browser, OpenIdFlow.expires > at
    )
    return session.scalar(statement.returning(OpenIdFlow))


def forget_expired(session: Session, *, at: datetime) -> None:
    session.execute(delete(OpenIdFlow).where(OpenIdFlow.expires <= at))
    session.execute(delete(OpenIdTest).where(OpenIdTest.expires <= at))


def find_person(session: Session, subject: str) -> Person | None:
    statement = select(*PERSON).join(Mechanism, Mechanism.user_id == User.id)
    row = session.execute(statement.where(Mechanism.kind == OPENID, Mechanism.subject == subject)).first()
    return Person(*row) if row else None


def find_subject(session: Session, user_id: str) -> str | None:
    statement = select(Mechanism.subject).where(Mechanism.user_id == user_id, Mechanism.kind == OPENID)
    return session.scalar(statement)


def add_mechanism(session: Session, user_id: str, subject: str) -> bool:
    """Let a user sign in as this subject; False if one of the two is linked already."""
    values = {"id": new_id(), "user_id": user_id, "kind": OPENID, "subject": subject, "secret": None}
    return session.scalar(insert_new(session, Mechanism, values, returning=(Mechanism.id,))) is not None


def names_beginning(session: Session, stem: str) -> Iterator[str]:
    """Give the folded user names that begin with a folded stem."""
    return iter(session.scalars(select(User.folded).where(User.folded.startswith(stem, autoescape=True))))


def owner_of(session: Session, session_id: str) -> str | None:
    """Give whose session it is, and keep it from ending until this transaction does."""
    return session.scalar(select(UserSession.user_id).where(UserSession.id == session_id).with_for_update())


def keep_id_token(session: Session, session_id: str, id_token: str) -> None:
    session.flush()  # the session itself comes first
    session.add(OpenIdSession(session_id=session_id, id_token=id_token))


def id_token_of(session: Session, session_id: str) -> str | None:
    return session.scalar(select(OpenIdSession.id_token).where(OpenIdSession.session_id == session_id))


def open_test(session: Session, digest: str, *, at: datetime) -> bool:
    """Use the link of a guided test up, in one statement."""
    statement = update(OpenIdTest).where(OpenIdTest.digest == digest, ~OpenIdTest.opened, OpenIdTest.expires > at)
    return session.scalar(statement.values(opened=True).returning(OpenIdTest.digest)) is not None


def settle_test(session: Session, digest: str, *, claims: str | None, refusal: str | None) -> None:
    session.execute(update(OpenIdTest).where(OpenIdTest.digest == digest).values(claims=claims, refusal=refusal))


def find_test(session: Session, digest: str) -> OpenIdTest | None:
    return session.get(OpenIdTest, digest)
