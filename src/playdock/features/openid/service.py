"""Signing in with OpenID, linking, guided tests, and signing out at the provider."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

import structlog
from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor, UserInfo
from playdock.db.database import Database
from playdock.db.failures import on_rollback
from playdock.db.locks import LockLevel, advisory_lock
from playdock.domain.objects.rules import INTERNAL
from playdock.domain.objects.service import Objects, StoredBytes
from playdock.features.accounts import queries as account_queries
from playdock.features.accounts.queries import NewUser
from playdock.features.accounts.rules import display_name
from playdock.features.openid import queries, rules
from playdock.features.openid.errors import (
    AccountAlreadyLinked,
    GuidedTestUnknown,
    IdentityLinkedElsewhere,
    LinkingExpired,
    OpenIdDisabled,
    SignInExpired,
)
from playdock.features.openid.rules import Profile
from playdock.features.openid.schemas import CallbackQuery
from playdock.features.sessions.errors import AccountDisabled
from playdock.features.sessions.service import OpenedSession, Origin, Sessions
from playdock.identity.claims import Claims, subject_of
from playdock.identity.errors import IdentityProviderError, SignInRefused
from playdock.identity.provider import IdentityProvider, SignIn, SignInAttempt, with_query
from playdock.kit.clock import Clock
from playdock.kit.errors import PlaydockError
from playdock.kit.identifiers import digest, new_id, new_secret
from playdock.kit.security_log import SecurityEvent, record
from playdock.models import OpenIdFlow, OpenIdTest
from playdock.pictures.images import MEDIA_TYPE
from playdock.pictures.operations import default_avatar
from playdock.settings import Settings
from playdock.throttle import rules as throttle_rules
from playdock.throttle import service as throttle
from playdock.throttle.rules import Limit

TEST_DONE = "/auth/oidc/tested"
_FIRST_PAGE = "/"
_T = TypeVar("_T")
_log = structlog.get_logger()


class FlowResult(Struct, frozen=True):
    """The path to redirect to after a flow, and the new session, None if it did not sign in."""

    redirect: str
    opened: OpenedSession | None = None


class SignInPreview(Struct, frozen=True):
    """The result that a sign-in would have: the existing account, or the user name of a new one."""

    profile: Profile
    account: UserInfo | None
    username: str


class OpenId(Struct, frozen=True):
    """Operations on flows and guided tests.

    ``browser`` is a secret cookie of the browser, ``address`` its IP address.
    """

    db: Database
    clock: Clock
    settings: Settings
    provider: IdentityProvider
    sessions: Sessions
    objects: Objects

    def begin(self, redirect: str, *, browser: str, address: str, recent: bool = False) -> str:
        """Start a sign-in that ends at a local path, and return the provider's URL to redirect the browser to.

        If it is ``recent``, the provider has to authenticate the user again, although it may know the browser.

        Raises:
            OpenIdDisabled: no provider is configured.
            IdentityProviderUnavailable, IdentityProviderUnusable: the provider cannot be used now.
            TooManyAttempts: too many flows were started from this address.
        """
        return self._begin(browser=browser, address=address, redirect=rules.local_path(redirect), recent=recent)

    def begin_link(self, actor: Actor, redirect: str, *, browser: str, address: str) -> str:
        """Start linking the account of the caller's session; otherwise like `begin`.

        Raises:
            RecentSignInRequired: the caller has to confirm the password.
            LinkingExpired: the session has ended.
        """
        actor.require_recent_sign_in(now=self.clock())
        path, session_id = rules.local_path(redirect), actor.credential.id
        return self._begin(browser=browser, address=address, redirect=path, session_id=session_id)

    def begin_test(self, secret: str, *, browser: str, address: str) -> str:
        """Start a guided test by its link; otherwise like `begin`.

        Raises:
            GuidedTestUnknown: the link is unknown, used or expired.
        """
        test = digest(secret)
        with self.db.write() as session:
            if not queries.open_test(session, test, at=self.clock()):
                raise GuidedTestUnknown
        return self._run_test_step(
            test, lambda: self._begin(browser=browser, address=address, redirect=TEST_DONE, test=test)
        )

    def finish(self, query: CallbackQuery, *, browser: str, session_id: str | None, origin: Origin) -> FlowResult:
        """End a flow with the provider's response; ``session_id`` is the browser's current session.

        Raises:
            SignInExpired: this browser has no such flow.
            SignInRefused: the provider denied the sign-in, or its response is not valid.
            AccountDisabled: the account is disabled.
            LinkingExpired, IdentityLinkedElsewhere, AccountAlreadyLinked: the identity cannot be linked.
            IdentityProviderUnavailable, IdentityProviderUnusable: the provider does not respond correctly.
        """
        with self.db.write() as session:
            flow = queries.claim_flow(session, digest(query.state), browser=digest(browser), at=self.clock())
        if flow is None:
            raise SignInExpired
        if flow.test:
            sign_in = self._run_test_step(flow.test, lambda: self._redeem(flow, query))
            self._record_claims(flow.test, sign_in)
            return FlowResult(flow.redirect)
        sign_in = self._redeem(flow, query)
        if flow.session_id:
            self._link(sign_in, flow.session_id, current_session=session_id)
            return FlowResult(flow.redirect)
        return FlowResult(flow.redirect, self._sign_in(sign_in, origin))

    def sign_out(self, actor: Actor) -> str | None:
        """End the caller's session, and return the ID token it was opened with; does not call the provider."""
        actor.require_session()
        with self.db.read() as session:
            id_token = queries.id_token_of(session, actor.credential.id)
        self.sessions.sign_out(actor)
        return id_token

    def farewell(self, id_token: str) -> str:
        """Return where to redirect a browser after signing out: to the provider's sign-out page, if it has one."""
        if not self.settings.openid:
            return _FIRST_PAGE
        try:
            address = self.provider.discover().end_session
        except IdentityProviderError:
            return _FIRST_PAGE
        parameters = {
            "id_token_hint": id_token,
            "client_id": self.settings.oidc_client_id,
            "post_logout_redirect_uri": self.settings.address,
        }
        return with_query(address, parameters) if address else _FIRST_PAGE

    def new_test(self) -> str:
        """Create the secret of a guided test's link, valid for one sign-in within 10 minutes."""
        secret = new_secret("pdo")
        expires = self.clock() + rules.FLOW_LIFETIME
        row = OpenIdTest(digest=digest(secret), opened=False, claims=None, refusal=None, expires=expires)
        with self.db.write() as session:
            queries.delete_expired(session, at=self.clock())
            queries.add(session, row)
        return secret

    def outcome_of(self, secret: str) -> OpenIdTest:
        """Return the state of a guided test.

        Raises:
            GuidedTestUnknown: it has expired.
        """
        with self.db.read() as session:
            row = queries.find_test(session, digest(secret))
        if row is None or row.expires <= self.clock():
            raise GuidedTestUnknown
        return row

    def foresee(self, claims: Claims) -> SignInPreview:
        """Return the result that a sign-in with these claims would have."""
        profile = rules.profile_of(claims, self.settings)
        with self.db.read() as session:
            account = queries.find_user(session, subject_of(claims))
            return SignInPreview(profile, account, self._free_username(session, profile))

    def _begin(
        self,
        *,
        browser: str,
        address: str,
        redirect: str,
        recent: bool = False,
        session_id: str | None = None,
        test: str | None = None,
    ) -> str:
        if not self.settings.openid:
            raise OpenIdDisabled
        limits = throttle_rules.openid_limits(address)
        with self.db.read() as session:
            throttle.refuse_if_exhausted(session, limits, at=self.clock())
        attempt = SignInAttempt(new_secret("state"), new_secret("nonce"), new_secret("verifier"), recent)
        address_at_provider = self.provider.address_for(attempt)
        flow = OpenIdFlow(
            state=digest(attempt.state),
            browser=digest(browser),
            nonce=attempt.nonce,
            verifier=attempt.verifier,
            redirect=redirect,
            recent=recent,
            session_id=session_id,
            test=test,
            expires=self.clock() + rules.FLOW_LIFETIME,
        )
        self._save_flow(flow, limits)
        return address_at_provider

    def _save_flow(self, flow: OpenIdFlow, limits: Sequence[Limit]) -> None:
        now = self.clock()
        with self.db.write() as session:
            throttle.count(session, limits, at=now)
            queries.delete_expired(session, at=now)
            if flow.session_id and account_queries.lock_session(session, flow.session_id) is None:
                raise LinkingExpired
            queries.add(session, flow)

    def _redeem(self, flow: OpenIdFlow, query: CallbackQuery) -> SignIn:
        try:
            self.provider.check_sender(query.iss)
            attempt = SignInAttempt(query.state, flow.nonce, flow.verifier, flow.recent)
            return self.provider.redeem(rules.code_of(query), attempt)
        except (IdentityProviderError, SignInRefused) as refusal:
            _log.warning("sign-in with OpenID failed", reason=refusal.detail, error=(query.error or "")[:100])
            raise

    def _run_test_step(self, test: str, step: Callable[[], _T]) -> _T:
        """Run a step of a guided test; record an error, for the command that waits for the result."""
        try:
            return step()
        except PlaydockError as refusal:
            with self.db.write() as session:
                queries.record_test_result(session, test, claims=None, refusal=refusal.detail)
            raise

    def _record_claims(self, test: str, sign_in: SignIn) -> None:
        with self.db.write() as session:
            queries.record_test_result(session, test, claims=json.dumps(sign_in.claims), refusal=None)

    def _link(self, sign_in: SignIn, flow_session: str, *, current_session: str | None) -> None:
        with self.db.write() as session:
            advisory_lock(session, LockLevel.IDENTITY, sign_in.subject)
            owner = account_queries.lock_session(session, flow_session) if current_session == flow_session else None
            if owner is None:
                raise LinkingExpired
            linked = queries.find_subject(session, owner)
            if linked not in (None, sign_in.subject):
                raise AccountAlreadyLinked
            if linked is None and not account_queries.link_identity(session, owner, sign_in.subject):
                raise IdentityLinkedElsewhere
        record(SecurityEvent.SIGN_IN_METHOD_ADDED, user=owner, method="OpenID")

    def _sign_in(self, sign_in: SignIn, origin: Origin) -> OpenedSession:
        profile = rules.profile_of(sign_in.claims, self.settings)
        with self.db.read() as session:
            user = queries.find_user(session, sign_in.subject)
        user = user or self._create_account(sign_in.subject, profile)
        with self.db.write() as session:
            is_role_changed = self._update_admin_role(session, user.id, profile)
            # The account may have been unlinked, disabled or deleted since; the lock prevents that from here on.
            account_queries.lock_user(session, user.id)
            current = queries.find_user(session, sign_in.subject)
            if current is None:
                raise SignInExpired
            if not current.enabled:
                raise AccountDisabled
            opened = self.sessions.open(
                session, current.id, origin, remember_me=False, authenticated=self._authenticated(sign_in)
            )
            if len(sign_in.id_token) <= rules.MAX_KEPT_CHARACTERS:
                queries.add_id_token(session, opened.id, sign_in.id_token)
        if is_role_changed:
            record(SecurityEvent.ROLE_CHANGED, user=opened.user_id, admin=bool(profile.admin))
        record(SecurityEvent.SIGNED_IN, user=opened.user_id, method="OpenID")
        return opened

    def _authenticated(self, sign_in: SignIn) -> datetime | None:
        """Return when the user proved their identity, None if that is unknown."""
        if sign_in.authenticated is None and not self.settings.oidc_require_auth_time:
            return self.clock()
        return sign_in.authenticated

    def _update_admin_role(self, session: Session, user_id: str, profile: Profile) -> bool:
        """Grant or remove the admin role according to the groups, and return whether it changed.

        The last enabled admin keeps it.
        """
        if profile.admin is None:
            return False
        admins = account_queries.lock_enabled_admins(session)
        if not profile.admin and set(admins) == {user_id}:
            _log.warning("the last admin left the admin group and keeps the admin role", user=user_id)
            return False
        if profile.admin == (user_id in admins):
            return False
        account_queries.change(session, user_id, {"admin": profile.admin})
        # A reset link may have been made by somebody who may not make one for an admin.
        account_queries.remove_reset(session, user_id)
        return True

    def _create_account(self, subject: str, profile: Profile) -> UserInfo:
        """Create an account for a new identity; of two concurrent sign-ins the second uses the account of the first."""
        user_id = new_id()
        picture = self.objects.write(default_avatar(user_id), media_type=MEDIA_TYPE)
        with on_rollback(lambda: self.objects.discard(picture.id)), self.db.write() as session:
            advisory_lock(session, LockLevel.IDENTITY, subject)
            user = queries.find_user(session, subject)
            if user is None:
                user = self._add(session, profile, user_id=user_id, picture=picture)
                account_queries.link_identity(session, user_id, subject)
        if user.id != user_id:
            self.objects.discard(picture.id)
        else:
            record(SecurityEvent.SIGNED_UP, user=user_id, admin=False)
        return user

    def _add(self, session: Session, profile: Profile, *, user_id: str, picture: StoredBytes) -> UserInfo:
        self.objects.adopt(session, picture, reader=INTERNAL)
        while True:
            username = self._free_username(session, profile)
            new = NewUser(
                id=user_id,
                username=username,
                display_name=display_name(profile.display_name, username=username),
                email=profile.email,
                picture_id=picture.id,
                admin=False,
            )
            user = account_queries.add_user(session, new, at=self.clock())
            if user is not None:
                return user

    def _free_username(self, session: Session, profile: Profile) -> str:
        used_names = set(queries.names_beginning(session, rules.stem_of(profile.username)))
        return rules.free_username(profile.username, used_names)
