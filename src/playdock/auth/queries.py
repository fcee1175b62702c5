"""Who is behind a digest: Core statements, since every request asks."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from playdock.auth.acls import USER_ACLS, Acl, rights_of, rights_of_token
from playdock.auth.actor import Actor, Credential, CredentialKind, Person
from playdock.models import Device, DownloadLink, Token, User, UserSession

SEEN_EVERY = timedelta(minutes=10)

PERSON = (
    User.id,
    User.username,
    User.display_name,
    User.email,
    User.picture_id,
    User.admin,
    User.enabled,
    User.download_rate,
    User.downloads_at_once,
)

_SESSION = select(UserSession.id, UserSession.expires, UserSession.seen, *PERSON).join(
    User, User.id == UserSession.user_id
)
_TOKEN = select(Token.id, Token.expires, Token.acls, *PERSON).join(User, User.id == Token.user_id)
_DEVICE = select(Device.id, Device.seen, *PERSON).join(User, User.id == Device.user_id)
_LINK = select(DownloadLink.id, DownloadLink.expires, DownloadLink.target, DownloadLink.bytes_left, *PERSON).join(
    User, User.id == DownloadLink.user_id
)
_OF_A_LINK = frozenset({Acl.CONTENT_READ})
_NOTED: dict[CredentialKind, type[UserSession] | type[Device]] = {
    CredentialKind.SESSION: UserSession,
    CredentialKind.DEVICE: Device,
}


@dataclass(frozen=True, slots=True)
class Found:
    """The actor of a credential, and whether it is time to note that it was used."""

    actor: Actor
    stale: bool = False


def find_session(session: Session, digest: str, *, at: datetime) -> Found | None:
    """Find who is signed in with this session, if it is alive and its user enabled."""
    row = session.execute(_SESSION.where(UserSession.digest == digest, UserSession.expires > at, User.enabled)).first()
    if row is None:
        return None
    id_, expires, seen, *columns = row
    person = Person(*columns)
    credential = Credential(CredentialKind.SESSION, id_, expires)
    return Found(Actor(person, rights_of(admin=person.admin), credential), stale=at - seen > SEEN_EVERY)


def find_token(session: Session, digest: str, *, at: datetime) -> Found | None:
    """Find whose token this is, if it is alive and its owner enabled."""
    alive = Token.expires.is_(None) | (Token.expires > at)
    row = session.execute(_TOKEN.where(Token.digest == digest, alive, User.enabled)).first()
    if row is None:
        return None
    id_, expires, acls, *columns = row
    person = Person(*columns)
    credential = Credential(CredentialKind.TOKEN, id_, expires)
    return Found(Actor(person, rights_of_token(acls, admin=person.admin), credential))


def find_device(session: Session, digest: str, *, at: datetime) -> Found | None:
    """Find whose device this is, if its user is enabled."""
    row = session.execute(_DEVICE.where(Device.digest == digest, User.enabled)).first()
    if row is None:
        return None
    credential = Credential(CredentialKind.DEVICE, row.id, None)
    return Found(Actor(Person(*row[2:]), USER_ACLS, credential), stale=at - row.seen > SEEN_EVERY)


def find_link(session: Session, digest: str, *, at: datetime) -> Found | None:
    """Find who made this signed link, if it is alive and its maker enabled and still allowed to download."""
    row = session.execute(_LINK.where(DownloadLink.digest == digest, DownloadLink.expires > at, User.enabled)).first()
    if row is None:
        return None
    id_, expires, target, bytes_left, *columns = row
    person = Person(*columns)
    credential = Credential(CredentialKind.LINK, id_, expires, target, counted=bytes_left is not None)
    return Found(Actor(person, _OF_A_LINK & rights_of(admin=person.admin), credential))


def mark_seen(session: Session, credential: Credential, *, at: datetime) -> None:
    """Note that a session or a device was used."""
    table = _NOTED[credential.kind]
    session.execute(update(table).where(table.id == credential.id).values(seen=at))
