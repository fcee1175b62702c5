"""Signing in and out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.auth.bearers import SESSION_PREFIX
from playdock.auth.passwords import Passwords
from playdock.db.database import Database
from playdock.features.accounts import queries as account_queries
from playdock.features.accounts.errors import SimpleOff, UserUnknown
from playdock.features.accounts.rules import fold
from playdock.features.sessions import queries, rules
from playdock.features.sessions.errors import AccountDisabled, SessionUnknown, WrongCredentials
from playdock.features.sessions.queries import SimpleLogin
from playdock.features.sessions.schemas import SignInDraft
from playdock.kit.clock import Clock
from playdock.kit.secrets import digest, new_id, new_secret
from playdock.models import UserSession
from playdock.settings import Settings
from playdock.throttle import rules as throttle_rules
from playdock.throttle import service as throttle
from playdock.throttle.rules import Limit


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a sign-in comes from: the address that failures are counted against, and the program's own name."""

    address: str
    agent: str


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A new session with its secret, which is stored nowhere."""

    id: str
    user_id: str
    secret: str
    expires: datetime


@dataclass(frozen=True, slots=True)
class Sessions:
    """Sessions: opened with a password, ended by whoever has them or by an admin."""

    db: Database
    clock: Clock
    passwords: Passwords
    settings: Settings

    def sign_in(self, draft: SignInDraft, origin: Origin) -> OpenedSession:
        """Open a session. A name that nobody has costs the same time as a wrong password.

        Raises:
            SimpleOff: nobody signs in with a password here.
            WrongCredentials: name and password do not belong together.
            AccountDisabled: they do, and the account is switched off.
            TooManyAttempts: too many wrong attempts came before, whether or not this one is right.
        """
        if not self.settings.simple:
            raise SimpleOff
        folded = fold(draft.username)
        limits = throttle_rules.sign_in_limits(folded, origin.address)
        with self.db.read() as session:
            throttle.refuse_if_exhausted(session, limits, at=self.clock())
            login = queries.find_simple(session, folded)
        right = self.passwords.verify(login.secret if login else None, draft.password)
        if login is None or not right:
            raise self._count_failure(limits)
        with self.db.write() as session:
            throttle.refuse_if_exhausted(session, limits, at=self.clock())
            return self._open(session, login, draft, origin)

    def open(self, session: Session, user_id: str, origin: Origin, *, remember_me: bool) -> OpenedSession:
        """Open a session, in the caller's transaction, for somebody who has proved who they are and is enabled."""
        now, secret = self.clock(), new_secret(SESSION_PREFIX)
        row = UserSession(
            id=new_id(),
            user_id=user_id,
            digest=digest(secret),
            agent=origin.agent[: rules.MOST_AGENT_CHARACTERS],
            created=now,
            seen=now,
            expires=now + rules.lifetime(remember_me=remember_me),
        )
        queries.add(session, row)
        return OpenedSession(row.id, user_id, secret, row.expires)

    def sign_out(self, actor: Actor) -> None:
        """End the session that the call is made with."""
        actor.require_session()
        with self.db.write() as session:
            queries.end(session, actor.credential.id, user_id=actor.person.id)

    def own(self, actor: Actor) -> Sequence[UserSession]:
        actor.require_session()
        with self.db.read() as session:
            return queries.of_user(session, actor.person.id, at=self.clock())

    def end(self, actor: Actor, session_id: str) -> None:
        """End one of the own sessions.

        Raises:
            SessionUnknown: there is no such session.
        """
        actor.require_session()
        with self.db.write() as session:
            if not queries.end(session, session_id, user_id=actor.person.id):
                raise SessionUnknown

    def end_others(self, actor: Actor) -> None:
        actor.require_session()
        with self.db.write() as session:
            account_queries.end_sessions(session, actor.person.id, but=actor.credential.id)

    def of_user(self, actor: Actor, user_id: str) -> Sequence[UserSession]:
        """Give somebody's living sessions, last used first.

        Raises:
            UserUnknown: there is no such user.
        """
        actor.require(Acl.ADMIN_USER_READ)
        with self.db.read() as session:
            _check_user(session, user_id)
            return queries.of_user(session, user_id, at=self.clock())

    def end_all(self, actor: Actor, user_id: str) -> None:
        """Sign somebody out everywhere, but for devices.

        Raises:
            UserUnknown: there is no such user.
        """
        actor.require(Acl.ADMIN_USER_UPDATE)
        with self.db.write() as session:
            _check_user(session, user_id)
            account_queries.end_sessions(session, user_id)

    def _count_failure(self, limits: Sequence[Limit]) -> WrongCredentials:
        now = self.clock()
        with self.db.write() as session:
            throttle.count(session, limits, at=now)
        return WrongCredentials()

    def _open(self, session: Session, login: SimpleLogin, draft: SignInDraft, origin: Origin) -> OpenedSession:
        # The password was checked with no transaction open; it may have been changed meanwhile.
        if queries.hold_simple(session, fold(draft.username)) != login:
            raise WrongCredentials
        if not login.enabled:
            raise AccountDisabled
        return self.open(session, login.user_id, origin, remember_me=draft.remember_me)


def _check_user(session: Session, user_id: str) -> None:
    if account_queries.find_person(session, user_id) is None:
        raise UserUnknown
