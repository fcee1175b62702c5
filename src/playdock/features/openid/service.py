"""Signing in with OpenID, linking, guided tests, and signing out at the provider."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import structlog
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor, Person
from playdock.db.database import Database
from playdock.db.turns import take_turn
from playdock.features.accounts import queries as account_queries
from playdock.features.accounts.queries import NewUser
from playdock.features.accounts.rules import display_name
from playdock.features.objects.rules import INTERNAL
from playdock.features.objects.service import Objects, Written
from playdock.features.openid import queries, rules
from playdock.features.openid.errors import (
    GuidedTestUnknown,
    LinkedAlready,
    LinkedElsewhere,
    LinkingOver,
    OpenIdOff,
    SignInOver,
)
from playdock.features.openid.rules import Profile
from playdock.features.openid.schemas import CallbackQuery
from playdock.features.sessions.errors import AccountDisabled
from playdock.features.sessions.service import OpenedSession, Origin, Sessions
from playdock.identity.claims import Claims, subject_of
from playdock.identity.errors import ProviderFault, SignInRefused
from playdock.identity.provider import Attempt, Provider, SignIn, with_query
from playdock.kit.clock import Clock
from playdock.kit.errors import PlaydockError
from playdock.kit.secrets import digest, new_id, new_secret
from playdock.models import OpenIdFlow, OpenIdTest
from playdock.pictures import portraits
from playdock.settings import Settings
from playdock.throttle import rules as throttle_rules
from playdock.throttle import service as throttle
from playdock.throttle.rules import Limit

TESTED = "/auth/oidc/tested"
_FIRST_PAGE = "/"
_T = TypeVar("_T")
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where a browser goes on when a flow has ended, and the session that it has from now on (None: as before)."""

    redirect: str
    opened: OpenedSession | None = None


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What would become of somebody: the account that they have, or else the user name that a new one would get."""

    profile: Profile
    account: Person | None
    username: str


@dataclass(frozen=True, slots=True)
class OpenId:
    """Flows, from the moment a browser is sent to the provider.

    ``browser`` is a secret that only that one has, ``address`` where it calls from.
    """

    db: Database
    clock: Clock
    settings: Settings
    provider: Provider
    sessions: Sessions
    objects: Objects

    def begin(self, redirect: str, *, browser: str, address: str) -> str:
        """Begin a sign-in that leads to a local address, and give the provider's address to send the browser to.

        Raises:
            OpenIdOff: there is no provider.
            ProviderAway, ProviderUnusable: there is none now.
            TooManyAttempts: too many were begun from this address.
        """
        return self._begin(browser=browser, address=address, redirect=rules.local_path(redirect))

    def begin_link(self, actor: Actor, redirect: str, *, browser: str, address: str) -> str:
        """Begin to link the account of the caller's session; else as `begin`.

        Raises:
            LinkingOver: the session has ended meanwhile.
        """
        actor.require_session()
        path, session_id = rules.local_path(redirect), actor.credential.id
        return self._begin(browser=browser, address=address, redirect=path, session_id=session_id)

    def begin_test(self, secret: str, *, browser: str, address: str) -> str:
        """Begin a guided test by its link; else as `begin`.

        Raises:
            GuidedTestUnknown: the link is unknown, used or expired.
        """
        test = digest(secret)
        with self.db.write() as session:
            if not queries.open_test(session, test, at=self.clock()):
                raise GuidedTestUnknown
        return self._settled(test, lambda: self._begin(browser=browser, address=address, redirect=TESTED, test=test))

    def finish(self, said: CallbackQuery, *, browser: str, session_id: str | None, origin: Origin) -> Arrival:
        """End a flow by what the provider had its browser say; ``session_id`` is the session that the browser shows.

        Raises:
            SignInOver: there is no such flow in this browser.
            SignInRefused: the provider refuses, or what it says is not to be believed.
            AccountDisabled: the account is switched off.
            LinkingOver, LinkedElsewhere, LinkedAlready: nothing can be linked.
            ProviderAway, ProviderUnusable: the provider does not answer as it should.
        """
        with self.db.write() as session:
            flow = queries.claim_flow(session, digest(said.state), browser=digest(browser), at=self.clock())
        if flow is None:
            raise SignInOver
        if flow.test:
            who = self._settled(flow.test, lambda: self._redeem(flow, said))
            self._keep_claims(flow.test, who)
            return Arrival(flow.redirect)
        who = self._redeem(flow, said)
        if flow.session_id:
            self._link(who, flow.session_id, shown=session_id)
            return Arrival(flow.redirect)
        return Arrival(flow.redirect, self._sign_in(who, origin))

    def sign_out(self, actor: Actor) -> str | None:
        """End the caller's session, and give the ID token that it came from; asks nobody else."""
        actor.require_session()
        with self.db.read() as session:
            id_token = queries.id_token_of(session, actor.credential.id)
        self.sessions.sign_out(actor)
        return id_token

    def farewell(self, id_token: str) -> str:
        """Give where a browser goes on that has signed out: to the provider, if it signs people out too."""
        if not self.settings.openid:
            return _FIRST_PAGE
        try:
            address = self.provider.discover().end_session
        except ProviderFault:
            return _FIRST_PAGE
        told = {
            "id_token_hint": id_token,
            "client_id": self.settings.oidc_client_id,
            "post_logout_redirect_uri": self.settings.address,
        }
        return with_query(address, told) if address else _FIRST_PAGE

    def new_test(self) -> str:
        """Make the secret of a guided test's link, good for one sign-in within ten minutes."""
        secret = new_secret("pdo")
        expires = self.clock() + rules.FLOW_LIFETIME
        row = OpenIdTest(digest=digest(secret), opened=False, claims=None, refusal=None, expires=expires)
        with self.db.write() as session:
            queries.forget_expired(session, at=self.clock())
            queries.add(session, row)
        return secret

    def outcome_of(self, secret: str) -> OpenIdTest:
        """Give how a guided test stands.

        Raises:
            GuidedTestUnknown: its time has run out.
        """
        with self.db.read() as session:
            row = queries.find_test(session, digest(secret))
        if row is None or row.expires <= self.clock():
            raise GuidedTestUnknown
        return row

    def foresee(self, claims: Claims) -> Foreseen:
        """Tell what would become of somebody with these claims."""
        profile = rules.profile_of(claims, self.settings)
        with self.db.read() as session:
            account = queries.find_person(session, subject_of(claims))
            return Foreseen(profile, account, self._free_username(session, profile))

    def _begin(
        self, *, browser: str, address: str, redirect: str, session_id: str | None = None, test: str | None = None
    ) -> str:
        if not self.settings.openid:
            raise OpenIdOff
        limits = throttle_rules.openid_limits(address)
        with self.db.read() as session:
            throttle.refuse_if_exhausted(session, limits, at=self.clock())
        attempt = Attempt(new_secret("state"), new_secret("nonce"), new_secret("verifier"))
        led_to = self.provider.address_for(attempt)
        flow = OpenIdFlow(
            state=digest(attempt.state),
            browser=digest(browser),
            nonce=attempt.nonce,
            verifier=attempt.verifier,
            redirect=redirect,
            session_id=session_id,
            test=test,
            expires=self.clock() + rules.FLOW_LIFETIME,
        )
        self._keep(flow, limits)
        return led_to

    def _keep(self, flow: OpenIdFlow, limits: Sequence[Limit]) -> None:
        now = self.clock()
        with self.db.write() as session:
            throttle.count(session, limits, at=now)
            queries.forget_expired(session, at=now)
            if flow.session_id and queries.owner_of(session, flow.session_id) is None:
                raise LinkingOver
            queries.add(session, flow)

    def _redeem(self, flow: OpenIdFlow, said: CallbackQuery) -> SignIn:
        try:
            self.provider.check_sender(said.iss)
            return self.provider.redeem(rules.code_of(said), Attempt(said.state, flow.nonce, flow.verifier))
        except (ProviderFault, SignInRefused) as refusal:
            _log.warning("sign-in with OpenID failed", reason=refusal.detail, error=(said.error or "")[:100])
            raise

    def _settled(self, test: str, step: Callable[[], _T]) -> _T:
        """Carry out a step of a guided test; what goes wrong is kept for whoever waits for the test's outcome."""
        try:
            return step()
        except PlaydockError as refusal:
            with self.db.write() as session:
                queries.settle_test(session, test, claims=None, refusal=refusal.detail)
            raise

    def _keep_claims(self, test: str, who: SignIn) -> None:
        with self.db.write() as session:
            queries.settle_test(session, test, claims=json.dumps(who.claims), refusal=None)

    def _link(self, who: SignIn, flow_session: str, *, shown: str | None) -> None:
        with self.db.write() as session:
            take_turn(session, who.subject)
            owner = queries.owner_of(session, flow_session) if shown == flow_session else None
            if owner is None:
                raise LinkingOver
            linked = queries.find_subject(session, owner)
            if linked not in (None, who.subject):
                raise LinkedAlready
            if linked is None and not queries.add_mechanism(session, owner, who.subject):
                raise LinkedElsewhere

    def _sign_in(self, who: SignIn, origin: Origin) -> OpenedSession:
        profile = rules.profile_of(who.claims, self.settings)
        with self.db.read() as session:
            person = queries.find_person(session, who.subject)
        person = person or self._join(who.subject, profile)
        with self.db.write() as session:
            self._decide_admin(session, person.id, profile)
            # The account may have been unlinked, disabled or deleted meanwhile; from here on it waits for us.
            account_queries.hold_person(session, person.id)
            present = queries.find_person(session, who.subject)
            if present is None:
                raise SignInOver
            if not present.enabled:
                raise AccountDisabled
            opened = self.sessions.open(session, present.id, origin, remember_me=False)
            if len(who.id_token) <= rules.MOST_KEPT_CHARACTERS:
                queries.keep_id_token(session, opened.id, who.id_token)
        return opened

    def _decide_admin(self, session: Session, user_id: str, profile: Profile) -> None:
        """Give or withdraw being an admin, as the groups have it; the last enabled admin stays one."""
        if profile.admin is None:
            return
        admins = account_queries.hold_enabled_admins(session)
        if not profile.admin and set(admins) == {user_id}:
            _log.warning("the last admin left the admin group and stays an admin", user=user_id)
            return
        if profile.admin != (user_id in admins):
            account_queries.change(session, user_id, {"admin": profile.admin})

    def _join(self, subject: str, profile: Profile) -> Person:
        """Make an account for somebody new; of two sign-ins at once the later finds that of the earlier."""
        user_id = new_id()
        picture = self.objects.write(portraits.draw(user_id), media_type=portraits.MEDIA_TYPE)
        person = None
        try:
            with self.db.write() as session:
                take_turn(session, subject)
                found = queries.find_person(session, subject)
                if found is not None:
                    return found
                added = self._add(session, profile, user_id=user_id, picture=picture)
                queries.add_mechanism(session, user_id, subject)
            person = added
            return person
        finally:
            if person is None:
                self.objects.discard(picture.id)

    def _add(self, session: Session, profile: Profile, *, user_id: str, picture: Written) -> Person:
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
            person = account_queries.add_user(session, new, at=self.clock())
            if person is not None:
                return person

    def _free_username(self, session: Session, profile: Profile) -> str:
        taken = set(queries.names_beginning(session, rules.stem_of(profile.username)))
        return rules.free_username(profile.username, taken)
