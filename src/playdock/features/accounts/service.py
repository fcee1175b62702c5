"""Operations on accounts."""

from itertools import islice
from typing import Any, Protocol

from msgspec import UNSET, Struct
from sqlalchemy.orm import Session

from playdock.auth import known_browsers
from playdock.auth.actor import Actor, CredentialKind, UserInfo
from playdock.auth.errors import SignInRequired
from playdock.auth.known_browsers import BrowserCookie
from playdock.auth.passwords import Passwords
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.db.retrying import retry_conflicts
from playdock.domain.objects import queries as object_queries
from playdock.domain.objects.rules import INTERNAL
from playdock.domain.objects.service import Objects, StoredBytes
from playdock.features.accounts import queries, rules
from playdock.features.accounts.errors import (
    LastAdmin,
    NoPassword,
    PictureRefused,
    ResetUnknown,
    UserUnknown,
    WrongPassword,
)
from playdock.features.accounts.schemas import AdminChanges, OwnChanges, PasswordChange, ResetRequest, UserQuery
from playdock.kit.clock import Clock
from playdock.kit.identifiers import digest, new_id, new_secret
from playdock.kit.security_log import SecurityEvent, record
from playdock.pictures.images import MEDIA_TYPE, UnusablePicture
from playdock.pictures.operations import default_avatar, profile_picture
from playdock.settings import Settings
from playdock.throttle import rules as throttle_rules
from playdock.throttle import service as throttle


class CredentialOwner(Protocol):
    """The owner of one kind of credential, which ends those of a user in the transaction that changes the account."""

    def end_of_user(self, session: Session, user_id: str) -> None:
        """End all credentials of a user."""


class SessionOwner(Protocol):
    """The owner of sessions, which can spare the one that a user is changing the password with."""

    def end_of_user(self, session: Session, user_id: str, *, but: str | None = None) -> None:
        """End all sessions of a user, except for one."""


class Accounts(Struct, frozen=True):
    """Operations of admins on all users, and of users on their own accounts."""

    db: Database
    clock: Clock
    settings: Settings
    passwords: Passwords
    objects: Objects
    sessions: SessionOwner
    devices: CredentialOwner
    tokens: CredentialOwner
    links: CredentialOwner

    def listing(self, actor: Actor, query: UserQuery) -> list[UserInfo]:
        """Return the users that match a query, by name."""
        actor.require(Permission.ADMIN_USER_READ)
        limit = None if query.limit is UNSET else query.limit
        with self.db.read() as session:
            users = queries.users_after(session, query.after, admin=query.admin, enabled=query.enabled)
            return list(islice((user for user in users if rules.matches(user, query.q)), limit))

    def find(self, actor: Actor, user_id: str) -> UserInfo:
        actor.require(Permission.ADMIN_USER_READ)
        with self.db.read() as session:
            return existing_user(session, user_id)

    def change(self, actor: Actor, user_id: str, changes: AdminChanges) -> UserInfo:
        """Change a user's account. Disabling it ends its sessions and tokens and signs out its devices.

        Raises:
            UserUnknown: no user has this id.
            PermissionMissing: it is the account of an admin, or the change grants or removes the role.
            RecentSignInRequired: the role or the email address changes, and the caller has to confirm the password.
            LastAdmin: no enabled admin would remain.
        """
        actor.require(Permission.ADMIN_USER_UPDATE)
        with self.db.write() as session:
            # Lock order: all admins are locked before one user.
            admins = [] if _keeps_admin_enabled(changes) else queries.lock_enabled_admins(session)
            before = _require_user(queries.lock_user(session, user_id))
            if before.admin or changes.admin is not UNSET:
                actor.require(Permission.ADMINS_UPDATE)
            if changes.admin not in (UNSET, before.admin) or changes.email not in (UNSET, before.email):
                actor.require_recent_if_session(now=self.clock())
            if set(admins) == {user_id}:
                raise LastAdmin
            after = _change(session, before, _values(changes))
            if not after.enabled:
                self._end_credentials(session, user_id)
            if after.admin and not before.admin:
                # A reset link may have been made by somebody who may not make one for an admin.
                queries.remove_reset(session, user_id)
        if after.admin != before.admin:
            record(SecurityEvent.ROLE_CHANGED, user=user_id, admin=after.admin)
        if after.enabled != before.enabled:
            event = SecurityEvent.ACCOUNT_ENABLED if after.enabled else SecurityEvent.ACCOUNT_DISABLED
            record(event, user=user_id)
        if after.email != before.email:
            record(SecurityEvent.EMAIL_CHANGED, user=user_id)
        return after

    def delete(self, actor: Actor, user_id: str) -> None:
        """Delete a user with all data that belongs only to them.

        Raises:
            UserUnknown: no user has this id.
            LastAdmin: no enabled admin would remain.
        """
        actor.require(Permission.ADMIN_USER_DELETE)
        with self.db.write() as session:
            if set(queries.lock_enabled_admins(session)) == {user_id}:
                raise LastAdmin
            removed = queries.remove(session, user_id)
            if removed is None:
                raise UserUnknown
            object_queries.remove(session, removed.picture_id)
        record(SecurityEvent.ACCOUNT_DELETED, user=user_id)
        # A cleanup deletes the bytes of saved games, which may be many.
        self.objects.discard(removed.picture_id)

    def change_own(self, actor: Actor, changes: OwnChanges) -> UserInfo:
        """Change the caller's display name, email address and picture.

        Raises:
            SessionRequired: a program or device changes the email address.
            RecentSignInRequired: the caller changes the email address and has to confirm the password.
            PictureRefused: the picture is not acceptable.
        """
        actor.require(Permission.USER_UPDATE)
        if changes.email not in (UNSET, actor.user.email):
            actor.require_recent_sign_in(now=self.clock())
        values = _values(changes)
        picture = self._new_picture(values.pop("picture")) if "picture" in values else None
        with self.db.write() as session:
            if picture is not None:
                self.objects.adopt(session, picture, reader=INTERNAL)
                values["picture_id"] = picture.id
            before = lock_caller(session, actor)
            after = _change(session, before, values)
            if picture is not None:
                object_queries.remove(session, before.picture_id)
        if picture is not None:
            self.objects.discard(before.picture_id)
        if after.email != before.email:
            record(SecurityEvent.EMAIL_CHANGED)
        return after

    def change_password(self, actor: Actor, change: PasswordChange) -> BrowserCookie:
        """Replace the caller's password, and end all other sessions, a reset link and, if wanted, the tokens.

        Devices remain signed in. Return the cookie that keeps the browser known.

        Raises:
            InvalidInput: the new password is too long, or weak where that is not allowed.
            WrongPassword: the current password is incorrect.
            NoPassword: the account has no password.
            TooManyAttempts: the current password was wrong too often.
        """
        actor.require(Permission.USER_UPDATE)
        user = actor.user
        rules.check_password(change.new, self.settings, about=rules.words_about(user), field="new")
        with self.db.write() as session:
            current = queries.password_hash(session, user.id)
            if current is None:
                raise NoPassword
            attempt = throttle.count(session, throttle_rules.password_limits(user.id), at=self.clock())
        if not self.passwords.verify(current, change.current):
            record(SecurityEvent.SIGN_IN_FAILED)
            raise WrongPassword
        hashed = self.passwords.hash(change.new)

        def exchange() -> None:
            with self.db.write() as session:
                if not queries.exchange_password(session, user.id, old_hash=current, new_hash=hashed):
                    raise WrongPassword
                queries.remove_reset(session, user.id)
                self.sessions.end_of_user(session, user.id, but=actor.credential.id)
                if change.revoke_tokens:
                    self.tokens.end_of_user(session, user.id)
                throttle.forgive(session, attempt)

        # The attempt has been committed, so the rest is repeated on its own.
        retry_conflicts(exchange)
        record(SecurityEvent.PASSWORD_CHANGED)
        return known_browsers.new_cookie(rules.normalize(user.username), password_hash=hashed)

    def new_reset(self, actor: Actor, user_id: str) -> str:
        """Create the secret of a link with which a user can set a new password, once within 24 hours.

        Raises:
            UserUnknown: no user has this id.
            PermissionMissing: it is the account of an admin.
            RecentSignInRequired: the caller has to confirm the password.
        """
        actor.require(Permission.ADMIN_USER_UPDATE)
        actor.require_recent_if_session(now=self.clock())
        secret = new_secret("pdr")
        with self.db.write() as session:
            # The lock keeps the user from becoming an admin until the link can be seen, and is then removed.
            user = _require_user(queries.lock_user(session, user_id))
            if user.admin:
                actor.require(Permission.ADMINS_UPDATE)
            expires = self.clock() + rules.RESET_LIFETIME
            queries.add_reset(session, user_id, digest=digest(secret), expires=expires)
        record(SecurityEvent.RESET_CREATED, user=user_id)
        return secret

    def check_reset(self, secret: str) -> None:
        """Check that a reset link is valid, without using it.

        Raises:
            ResetUnknown: the link is unknown, used or expired.
        """
        with self.db.read() as session:
            if not queries.reset_is_valid(session, digest(secret), at=self.clock()):
                raise ResetUnknown

    def reset_password(self, data: ResetRequest) -> BrowserCookie:
        """Set a new password with a reset link. End the user's sessions, tokens and links, and sign out their devices.

        Failed attempts are forgiven. Return a cookie that makes the browser known, so that the user can sign in even
        while others keep guessing.

        Raises:
            InvalidInput: the password is too long, or weak where that is not allowed.
            ResetUnknown: the link is unknown, used or expired.
        """
        with self.db.read() as session:
            user = queries.find_user_of_reset(session, digest(data.id), at=self.clock())
        if user is None:
            raise ResetUnknown
        rules.check_password(data.password, self.settings, about=rules.words_about(user))
        hashed, normalized_name = self.passwords.hash(data.password), rules.normalize(user.username)
        with self.db.write() as session:
            if queries.claim_reset(session, digest(data.id), at=self.clock()) is None:
                raise ResetUnknown
            queries.set_password(session, user.id, hashed)
            self._end_credentials(session, user.id)
            self.links.end_of_user(session, user.id)
            throttle.forgive_user(session, normalized_name=normalized_name, user_id=user.id)
        record(SecurityEvent.RESET_USED, user=user.id)
        return known_browsers.new_cookie(normalized_name, password_hash=hashed)

    def _end_credentials(self, session: Session, user_id: str) -> None:
        """End everything that can be used without the password, in case it was stolen; links only download."""
        queries.remove_reset(session, user_id)
        self.sessions.end_of_user(session, user_id)
        self.devices.end_of_user(session, user_id)
        self.tokens.end_of_user(session, user_id)

    def _new_picture(self, data: bytes | None) -> StoredBytes:
        if data is None:
            # A random seed, because equal seeds produce equal pictures.
            return self.objects.write(default_avatar(new_id()), media_type=MEDIA_TYPE)
        try:
            return self.objects.write(profile_picture(data), media_type=MEDIA_TYPE)
        except UnusablePicture as reason:
            raise PictureRefused(reason.message) from None


def existing_user(session: Session, user_id: str) -> UserInfo:
    """Return a user.

    Raises:
        UserUnknown: no user has this id.
    """
    return _require_user(queries.find_user(session, user_id))


def lock_caller(session: Session, actor: Actor) -> UserInfo:
    """Lock and return the caller's user. If the credential is a session, lock it too.

    A request is authenticated before its body is read. Until then the session may have been ended, along with all other
    credentials of the user: it must not create new ones.

    Raises:
        SignInRequired: the session has ended, or the user has been deleted or disabled.
    """
    user = queries.lock_user(session, actor.user.id)
    if user is None or not user.enabled:
        raise SignInRequired
    is_session = actor.credential.kind is CredentialKind.SESSION
    if is_session and queries.lock_session(session, actor.credential.id) is None:
        raise SignInRequired
    return user


def _require_user(user: UserInfo | None) -> UserInfo:
    if user is None:
        raise UserUnknown
    return user


def _change(session: Session, user: UserInfo, values: dict[str, Any]) -> UserInfo:
    if "display_name" in values:
        values["display_name"] = rules.display_name(values["display_name"], username=user.username)
    return _require_user(queries.change(session, user.id, values) if values else user)


def _keeps_admin_enabled(changes: AdminChanges) -> bool:
    return changes.enabled is not False and changes.admin is not False


def _values(changes: OwnChanges | AdminChanges) -> dict[str, Any]:
    """Return the given values by column."""
    return {name: value for name in changes.__struct_fields__ if (value := getattr(changes, name)) is not UNSET}
