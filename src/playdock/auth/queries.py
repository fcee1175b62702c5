"""Statements that find credentials by digest.

They select columns instead of ORM objects, because they run for most requests.
"""

from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import ColumnElement, select, update
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor, Credential, CredentialKind, UserInfo
from playdock.auth.permissions import USER_PERMISSIONS, Permission, permissions_of, token_permissions
from playdock.models import Device, DownloadLink, Token, User, UserSession

# The last use of a session or device is recorded at most this often, because recording it is a write.
LAST_SEEN_INTERVAL = timedelta(minutes=10)

USER_COLUMNS = (
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

_SESSION = select(
    UserSession.id,
    UserSession.digest,
    UserSession.replaced_until,
    UserSession.expires,
    UserSession.authenticated,
    UserSession.seen,
    *USER_COLUMNS,
).join(User, User.id == UserSession.user_id)
_TOKEN = select(Token.id, Token.expires, Token.acls, *USER_COLUMNS).join(User, User.id == Token.user_id)
_DEVICE = select(Device.id, Device.seen, *USER_COLUMNS).join(User, User.id == Device.user_id)
_SIGNING_DEVICE = select(Device.id, Device.seen, Device.certificate, *USER_COLUMNS).join(
    User, User.id == Device.user_id
)
_LINK = select(DownloadLink.id, DownloadLink.expires, DownloadLink.target, DownloadLink.bytes_left, *USER_COLUMNS).join(
    User, User.id == DownloadLink.user_id
)
_LINK_PERMISSIONS = frozenset({Permission.CONTENT_READ})
_TABLES_WITH_LAST_USE: dict[CredentialKind, type[UserSession] | type[Device]] = {
    CredentialKind.SESSION: UserSession,
    CredentialKind.DEVICE: Device,
}


class ResolvedCredential(Struct, frozen=True):
    """The actor of a credential; ``stale`` if its last use must be recorded again."""

    actor: Actor
    stale: bool = False


def session_is_active(*, at: datetime, idle: timedelta) -> ColumnElement[bool]:
    """Return the condition that a session has not expired and was used within ``idle``."""
    return (UserSession.expires > at) & (UserSession.seen > at - idle)


def find_session(session: Session, digest: str, *, at: datetime, idle: timedelta) -> ResolvedCredential | None:
    """Return the actor of a session, or None if it is unknown, expired or unused or its user is disabled.

    A secret that was replaced works until it ends, for requests that were sent before, but proves no recent sign-in.
    """
    is_active = session_is_active(at=at, idle=idle)
    was_replaced = (UserSession.replaced_digest == digest) & (UserSession.replaced_until > at)
    has_digest = (UserSession.digest == digest) | was_replaced
    row = session.execute(_SESSION.where(has_digest, is_active, User.enabled)).first()
    if row is None:
        return None
    id_, current_digest, replaced_until, expires, authenticated, seen, *columns = row
    user = UserInfo(*columns)
    if current_digest != digest:
        expires, authenticated = min(expires, replaced_until or expires), None
    credential = Credential(CredentialKind.SESSION, id_, expires, authenticated=authenticated)
    return ResolvedCredential(
        Actor(user, permissions_of(admin=user.admin), credential), stale=at - seen > LAST_SEEN_INTERVAL
    )


def find_token(session: Session, digest: str, *, at: datetime) -> ResolvedCredential | None:
    """Return the actor of a token, or None if it is unknown or expired or its owner is disabled."""
    row = session.execute(_TOKEN.where(Token.digest == digest, Token.expires > at, User.enabled)).first()
    if row is None:
        return None
    id_, expires, acls, *columns = row
    user = UserInfo(*columns)
    credential = Credential(CredentialKind.TOKEN, id_, expires)
    return ResolvedCredential(Actor(user, token_permissions(acls, admin=user.admin), credential))


def find_device(session: Session, digest: str, *, at: datetime) -> ResolvedCredential | None:
    """Return the actor of a device, or None if it is unknown or its user is disabled."""
    row = session.execute(_DEVICE.where(Device.digest == digest, User.enabled)).first()
    if row is None:
        return None
    credential = Credential(CredentialKind.DEVICE, row.id, None)
    return ResolvedCredential(
        Actor(UserInfo(*row[2:]), USER_PERMISSIONS, credential), stale=at - row.seen > LAST_SEEN_INTERVAL
    )


def find_signing_device(session: Session, device_id: str, *, at: datetime) -> tuple[ResolvedCredential, str] | None:
    """Return the actor of a device that signs its requests, and its certificate.

    None if there is no such device or its user is disabled.
    """
    statement = _SIGNING_DEVICE.where(Device.id == device_id, Device.certificate.is_not(None), User.enabled)
    row = session.execute(statement).first()
    if row is None:
        return None
    id_, seen, certificate, *columns = row
    actor = Actor(UserInfo(*columns), USER_PERMISSIONS, Credential(CredentialKind.DEVICE, id_, None))
    return ResolvedCredential(actor, stale=at - seen > LAST_SEEN_INTERVAL), certificate or ""


def find_link(session: Session, digest: str, *, at: datetime) -> ResolvedCredential | None:
    """Return the actor of a signed link, or None if it is unknown or expired or its creator is disabled."""
    row = session.execute(_LINK.where(DownloadLink.digest == digest, DownloadLink.expires > at, User.enabled)).first()
    if row is None:
        return None
    id_, expires, target, bytes_left, *columns = row
    user = UserInfo(*columns)
    credential = Credential(CredentialKind.LINK, id_, expires, target, counted=bytes_left is not None)
    return ResolvedCredential(Actor(user, _LINK_PERMISSIONS & permissions_of(admin=user.admin), credential))


def mark_seen(session: Session, credential: Credential, *, at: datetime) -> None:
    """Record the last use of a session or a device."""
    table = _TABLES_WITH_LAST_USE[credential.kind]
    session.execute(update(table).where(table.id == credential.id).values(seen=at))
