"""Who is behind a digest: Core statements, since every request asks."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from playdock.auth.acls import rights_of, rights_of_token
from playdock.auth.actor import Actor, Credential, CredentialKind, Person
from playdock.models import Token, User, UserSession

SEEN_EVERY = timedelta(minutes=10)

PERSON = (User.id, User.username, User.display_name, User.email, User.picture_id, User.admin, User.enabled)

_SESSION = select(UserSession.id, UserSession.expires, UserSession.seen, *PERSON).join(
    User, User.id == UserSession.user_id
)
_TOKEN = select(Token.id, Token.expires, Token.acls, *PERSON).join(User, User.id == Token.user_id)


@dataclass(frozen=True, slots=True)
class FoundSession:
    """The actor of a session, and whether it is time to note that it was used."""

    actor: Actor
    stale: bool


def find_session(session: Session, digest: str, *, at: datetime) -> FoundSession | None:
    """Find who is signed in with this session, if it is alive and its user enabled."""
    row = session.execute(_SESSION.where(UserSession.digest == digest, UserSession.expires > at, User.enabled)).first()
    if row is None:
        return None
    id_, expires, seen, *columns = row
    person = Person(*columns)
    credential = Credential(CredentialKind.SESSION, id_, expires)
    return FoundSession(Actor(person, rights_of(admin=person.admin), credential), stale=at - seen > SEEN_EVERY)


def find_token(session: Session, digest: str, *, at: datetime) -> Actor | None:
    """Find whose token this is, if it is alive and its owner enabled."""
    alive = Token.expires.is_(None) | (Token.expires > at)
    row = session.execute(_TOKEN.where(Token.digest == digest, alive, User.enabled)).first()
    if row is None:
        return None
    id_, expires, acls, *columns = row
    person = Person(*columns)
    return Actor(person, rights_of_token(acls, admin=person.admin), Credential(CredentialKind.TOKEN, id_, expires))


def mark_seen(session: Session, session_id: str, *, at: datetime) -> None:
    session.execute(update(UserSession).where(UserSession.id == session_id).values(seen=at))
