"""Signing in and out."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth import known_browsers
from playdock.auth.actor import Actor
from playdock.auth.errors import SignInRequired
from playdock.auth.known_browsers import BrowserCookie
from playdock.auth.passwords import Passwords
from playdock.auth.permissions import Permission
from playdock.auth.resolver import SESSION_PREFIX
from playdock.db.database import Database
from playdock.db.retrying import retry_conflicts
from playdock.features.accounts import queries as account_queries
from playdock.features.accounts.errors import NoPassword, PasswordSignInDisabled, WrongPassword
from playdock.features.accounts.rules import normalize
from playdock.features.accounts.service import existing_user
from playdock.features.sessions import queries, rules
from playdock.features.sessions.errors import AccountDisabled, SessionUnknown, WrongCredentials
from playdock.features.sessions.queries import PasswordLogin
from playdock.features.sessions.schemas import PasswordConfirmation, SignInRequest
from playdock.kit.clock import Clock
from playdock.kit.identifiers import digest, new_id, new_secret
from playdock.kit.security_log import SecurityEvent, record
from playdock.models import UserSession
from playdock.settings import Settings
from playdock.throttle import rules as throttle_rules
from playdock.throttle import service as throttle
from playdock.throttle.rules import Limit
from playdock.throttle.service import CountedAttempt


class Origin(Struct, frozen=True):
    """The origin of a sign-in: the address against which failures are counted, and the User-Agent header.

    ``previous`` is the secret of the session that the browser had before, empty without one.
    """

    address: str
    agent: str
    previous: str = ""


class OpenedSession(Struct, frozen=True):
    """A new session with its secret, which is not stored."""

    id: str
    user_id: str
    secret: str
    expires: datetime


class ConfirmedSession(Struct, frozen=True):
    """A session whose user has confirmed the password.

    ``secret`` is the new secret, None if a parallel request has replaced the old one. A browser keeps its cookie for
    ``lifetime``, without one until it closes.
    """

    expires: datetime
    secret: str | None
    lifetime: timedelta | None


class PasswordSignIn(Struct, frozen=True):
    """The result of a sign-in with a password: a session, and the cookie that makes the browser known."""

    session: OpenedSession
    cookie: BrowserCookie


class Sessions(Struct, frozen=True):
    """Operations on sessions."""

    db: Database
    clock: Clock
    passwords: Passwords
    settings: Settings

    def sign_in(self, data: SignInRequest, origin: Origin, *, browser: str) -> PasswordSignIn:
        """Open a session. An unknown user name takes the same time as a wrong password.

        A password hash whose parameters are not the current ones is renewed.

        ``browser`` is the cookie of a known browser, or empty.

        Raises:
            PasswordSignInDisabled: password sign-in is disabled.
            WrongCredentials: the user name or the password is wrong.
            AccountDisabled: both are right, but the account is disabled.
            TooManyAttempts: too many attempts failed before, even if this one is right.
        """
        if not self.settings.simple:
            raise PasswordSignInDisabled
        with self.db.read() as session:
            login = queries.find_password_login(session, normalize(data.username))
            limits = _limits(data, origin, login, browser=browser)
            throttle.refuse_if_exhausted(session, limits, at=self.clock())
        with self.db.write() as session:
            attempt = throttle.count(session, limits, at=self.clock())
        is_correct = self.passwords.verify(login.secret if login else None, data.password)
        if login is None or not is_correct:
            record(SecurityEvent.SIGN_IN_FAILED, user=login.user_id if login else "")
            raise WrongCredentials
        renewed = self.passwords.renew(login.secret, data.password)
        # The attempt has been committed, so the rest is repeated on its own.
        return retry_conflicts(partial(self._open, login, data, origin, attempt, renewed=renewed))

    def open(
        self, session: Session, user_id: str, origin: Origin, *, remember_me: bool, authenticated: datetime | None
    ) -> OpenedSession:
        """Open a session in the caller's transaction. The user has been authenticated and is enabled.

        ``authenticated`` is when the user proved their identity, None if that is unknown. The browser's previous
        session ends, because the browser has no cookie of it any more.
        """
        if origin.previous:
            queries.end_by_digest(session, digest(origin.previous))
        now, secret = self.clock(), new_secret(SESSION_PREFIX)
        row = UserSession(
            id=new_id(),
            user_id=user_id,
            digest=digest(secret),
            agent=origin.agent[: rules.MAX_AGENT_CHARACTERS],
            created=now,
            authenticated=authenticated,
            seen=now,
            expires=now + rules.lifetime(remember_me=remember_me),
        )
        queries.add(session, row)
        return OpenedSession(row.id, user_id, secret, row.expires)

    def confirm(self, actor: Actor, data: PasswordConfirmation, *, secret: str) -> ConfirmedSession:
        """Check the caller's password again. Then the session counts as recently signed in, and has a new secret.

        ``secret`` is that of the request; it remains valid for a minute, but not as recently signed in. Wrong passwords
        count like those of a password change, so that a stolen session gives few guesses.

        Raises:
            PasswordSignInDisabled: password sign-in is disabled.
            NoPassword: the account has no password.
            WrongPassword: the password is wrong.
            TooManyAttempts: too many attempts failed before, even if this one is right.
            SignInRequired: the session has ended.
        """
        actor.require_session()
        if not self.settings.simple:
            raise PasswordSignInDisabled
        with self.db.write() as session:
            login = queries.find_password_login(session, normalize(actor.user.username))
            if login is None:
                raise NoPassword
            attempt = throttle.count(session, throttle_rules.password_limits(actor.user.id), at=self.clock())
        if not self.passwords.verify(login.secret, data.password):
            record(SecurityEvent.SIGN_IN_FAILED)
            raise WrongPassword

        # The attempt has been committed, so the rest is repeated on its own.
        confirmed = retry_conflicts(partial(self._confirm, actor, login, secret, attempt))
        record(SecurityEvent.SIGNED_IN, method="confirmation")
        return confirmed

    def check_recent(self, actor: Actor) -> None:
        """Check that the caller need not confirm the password.

        Raises:
            RecentSignInRequired: the caller has to.
        """
        actor.require_recent_sign_in(now=self.clock())

    def sign_out(self, actor: Actor) -> None:
        """End the session of this request."""
        actor.require_session()
        with self.db.write() as session:
            queries.end(session, actor.credential.id, user_id=actor.user.id)
        record(SecurityEvent.SIGNED_OUT)

    def own(self, actor: Actor) -> Sequence[UserSession]:
        actor.require_session()
        with self.db.read() as session:
            return queries.of_user(session, actor.user.id, at=self.clock(), idle=self._idle)

    def end(self, actor: Actor, session_id: str) -> None:
        """End one of the caller's sessions.

        Raises:
            SessionUnknown: the caller has no session with this id.
        """
        actor.require_session()
        with self.db.write() as session:
            if not queries.end(session, session_id, user_id=actor.user.id):
                raise SessionUnknown
        record(SecurityEvent.SESSION_ENDED, id=session_id)

    def end_others(self, actor: Actor) -> None:
        actor.require_session()
        with self.db.write() as session:
            queries.end_of_user(session, actor.user.id, but=actor.credential.id)
        record(SecurityEvent.SESSIONS_ENDED)

    def of_user(self, actor: Actor, user_id: str) -> Sequence[UserSession]:
        """Return a user's active sessions, last used first.

        Raises:
            UserUnknown: no user has this id.
        """
        actor.require(Permission.ADMIN_USER_READ)
        with self.db.read() as session:
            existing_user(session, user_id)
            return queries.of_user(session, user_id, at=self.clock(), idle=self._idle)

    def end_one_of_user(self, actor: Actor, user_id: str, session_id: str) -> None:
        """End one session of a user.

        Raises:
            SessionUnknown: the user has no session with this id.
        """
        actor.require(Permission.ADMIN_USER_UPDATE)
        with self.db.write() as session:
            if not queries.end(session, session_id, user_id=user_id):
                raise SessionUnknown
        record(SecurityEvent.SESSION_ENDED, user=user_id, id=session_id)

    def end_all(self, actor: Actor, user_id: str) -> None:
        """End all sessions of a user; devices remain signed in.

        Raises:
            UserUnknown: no user has this id.
        """
        actor.require(Permission.ADMIN_USER_UPDATE)
        with self.db.write() as session:
            existing_user(session, user_id)
            queries.end_of_user(session, user_id)
        record(SecurityEvent.SESSIONS_ENDED, user=user_id)

    def end_of_user(self, session: Session, user_id: str, *, but: str | None = None) -> None:
        """End the sessions of a user whose account or password changes, optionally except one."""
        queries.end_of_user(session, user_id, but=but)

    @property
    def _idle(self) -> timedelta:
        return timedelta(days=self.settings.session_idle_days)

    def _open(
        self, login: PasswordLogin, data: SignInRequest, origin: Origin, attempt: CountedAttempt, *, renewed: str
    ) -> PasswordSignIn:
        """Open a session; ``renewed`` is the hash to store for the password from now on."""
        normalized_name = normalize(data.username)
        with self.db.write() as session:
            # The password was verified outside the transaction; it may have been changed since.
            if queries.lock_password_login(session, normalized_name) != login:
                raise WrongCredentials
            throttle.forgive(session, attempt)
            if renewed != login.secret:
                account_queries.set_password(session, login.user_id, renewed)
            authenticated, remember_me = self.clock(), data.remember_me
            opened = (
                self.open(session, login.user_id, origin, remember_me=remember_me, authenticated=authenticated)
                if login.enabled
                else None
            )
        if opened is None:
            raise AccountDisabled
        record(SecurityEvent.SIGNED_IN, user=login.user_id, method="Simple")
        return PasswordSignIn(opened, known_browsers.new_cookie(normalized_name, password_hash=renewed))

    def _confirm(self, actor: Actor, login: PasswordLogin, secret: str, attempt: CountedAttempt) -> ConfirmedSession:
        with self.db.write() as session:
            # The password was verified outside the transaction; it may have been changed since.
            if queries.lock_password_login(session, normalize(actor.user.username)) != login:
                raise WrongPassword
            throttle.forgive(session, attempt)
            return self._confirmed(session, actor.credential.id, secret)

    def _confirmed(self, session: Session, session_id: str, secret: str) -> ConfirmedSession:
        new, now = new_secret(SESSION_PREFIX), self.clock()
        row = queries.replace_secret(
            session,
            session_id,
            old=digest(secret),
            new=digest(new),
            old_until=now + rules.REPLACED_LIFETIME,
            at=now,
        )
        if row is not None:
            lifetime = rules.cookie_lifetime(created=row.created, expires=row.expires, now=now)
            return ConfirmedSession(row.expires, new, lifetime)
        row = queries.set_authenticated(session, session_id, at=now)
        if row is None:
            raise SignInRequired
        return ConfirmedSession(row.expires, None, None)


def _limits(data: SignInRequest, origin: Origin, login: PasswordLogin | None, *, browser: str) -> Sequence[Limit]:
    """Return the limits of an attempt: in a known browser only its own, so that no one else can reach them."""
    if login is not None:
        known = known_browsers.browser_of(browser, password_hash=login.secret)
        if known is not None:
            return throttle_rules.known_browser_limits(known)
    return throttle_rules.sign_in_limits(normalize(data.username), origin.address)
