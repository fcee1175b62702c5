"""Letting devices in and signing them out."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

from playdock.auth.acls import USER_ACLS, Acl
from playdock.auth.actor import Actor
from playdock.auth.bearers import DEVICE_PREFIX
from playdock.auth.errors import SignInNeeded
from playdock.db.database import Database
from playdock.features.accounts import queries as account_queries
from playdock.features.devices import queries, rules
from playdock.features.devices.errors import (
    AccessDenied,
    AuthorizationPending,
    DeviceRequestUnknown,
    DeviceUnknown,
    ExpiredToken,
    InvalidClient,
    InvalidGrant,
    SlowDown,
    UnsupportedGrantType,
)
from playdock.features.devices.schemas import AccessToken, DeviceAuthorization, DeviceDecision, DeviceForm, TokenForm
from playdock.kit.clock import Clock
from playdock.kit.errors import Fault
from playdock.kit.oauth import InvalidRequest
from playdock.kit.secrets import digest, new_code, new_id, new_secret
from playdock.models import Device, DeviceRequest
from playdock.settings import Settings
from playdock.throttle import rules as throttle_rules
from playdock.throttle import service as throttle

PAGE = "/device"


@dataclass(frozen=True, slots=True)
class Devices:
    """Devices of people, and those that ask to become one."""

    db: Database
    clock: Clock
    settings: Settings

    def ask(self, form: DeviceForm, *, address: str) -> DeviceAuthorization:
        """Let a device wait for somebody to decide about it.

        Raises:
            InvalidClient: no such program is known.
            TooManyAttempts: too many devices wait, of this address or of all.
        """
        _check_client(form.client_id)
        device_code, now = new_secret("pdd"), self.clock()
        values = {
            "id": new_id(),
            "digest": digest(device_code),
            "name": rules.device_name(form.device_name),
            "platform": form.platform or "",
            "created": now,
            "expires": now + rules.LIFETIME,
            "pause": rules.PAUSE,
            "denied": False,
        }
        with self.db.write() as session:
            throttle.count(session, throttle_rules.device_limits(address), at=now)
            codes = (new_code(rules.LETTERS, length) for length in repeat(rules.LENGTH))
            free = next(code for code in codes if queries.add_request(session, {**values, "user_code": code}))
        return self._codes(device_code, rules.shown_code(free))

    def exchange(self, form: TokenForm) -> AccessToken:
        """Give a device that was let in its access token, once.

        Raises:
            InvalidRequest, UnsupportedGrantType, InvalidClient: the form is not that of a device.
            InvalidGrant: the device code is unknown or used.
            AuthorizationPending, SlowDown, AccessDenied, ExpiredToken: as RFC 8628, section 3.5, has it.
        """
        _check_form(form)
        with self.db.read() as session:
            request = queries.find_request(session, digest(form.device_code))
        if request is None:
            raise InvalidGrant
        if request.expires <= self.clock():
            raise ExpiredToken
        if request.denied:
            raise AccessDenied
        if request.user_id is None:
            raise self._note_poll(request)
        return self._let_in(request.id, request.user_id)

    def waiting(self, actor: Actor, user_code: str, *, address: str) -> DeviceRequest:
        """Find the device that waits with a user code.

        Raises:
            DeviceRequestUnknown: there is none, or it was decided about.
            TooManyAttempts: codes were guessed at too often.
        """
        actor.require_session()
        limits = throttle_rules.user_code_limits(actor.person.id, address)
        with self.db.read() as session:
            throttle.refuse_if_exhausted(session, limits, at=self.clock())
            found = queries.find_waiting(session, rules.plain_code(user_code), at=self.clock())
        if found is None:
            with self.db.write() as session:
                throttle.count(session, limits, at=self.clock())
            raise DeviceRequestUnknown
        return found

    def decide(self, actor: Actor, decision: DeviceDecision, *, address: str) -> None:
        """Let a device act for the caller, or refuse it.

        Raises:
            DeviceRequestUnknown, TooManyAttempts: as for `waiting`.
            SignInNeeded: the caller was deleted or disabled meanwhile.
        """
        actor.require_session()
        found = self.waiting(actor, decision.user_code, address=address)
        values = {"user_id": actor.person.id} if decision.approve else {"denied": True}
        with self.db.write() as session:
            person = account_queries.hold_person(session, actor.person.id)
            if person is None or not person.enabled:
                raise SignInNeeded
            if not queries.decide(session, found.user_code, values, at=self.clock()):
                raise DeviceRequestUnknown

    def own(self, actor: Actor) -> Sequence[Device]:
        actor.require(Acl.CLIENTS_READ)
        with self.db.read() as session:
            return queries.of_user(session, actor.person.id)

    def sign_out(self, actor: Actor, device_id: str) -> None:
        """Sign one of the own devices out.

        Raises:
            DeviceUnknown: there is no such device.
        """
        actor.require(Acl.CLIENTS_REVOKE)
        with self.db.write() as session:
            if not queries.remove(session, device_id, user_id=actor.person.id):
                raise DeviceUnknown

    def _codes(self, device_code: str, user_code: str) -> DeviceAuthorization:
        page = f"{self.settings.address}{PAGE}"
        return DeviceAuthorization(
            device_code=device_code,
            user_code=user_code,
            verification_uri=page,
            verification_uri_complete=f"{page}?user_code={user_code}",
            expires_in=int(rules.LIFETIME.total_seconds()),
            interval=rules.PAUSE,
        )

    def _note_poll(self, request: DeviceRequest) -> SlowDown | AuthorizationPending:
        now = self.clock()
        too_soon = rules.is_too_soon(request.polled, request.pause, now=now)
        pause = rules.longer(request.pause) if too_soon else request.pause
        with self.db.write() as session:
            noted = queries.note_poll(session, request, pause=pause, at=now)
        return SlowDown() if too_soon or not noted else AuthorizationPending()

    def _let_in(self, request_id: str, user_id: str) -> AccessToken:
        now, secret = self.clock(), new_secret(DEVICE_PREFIX)
        with self.db.write() as session:
            # The user comes first here as wherever a user and what belongs to one are changed together.
            person = account_queries.hold_person(session, user_id)
            if person is None or not person.enabled:
                raise AccessDenied
            request = queries.claim_request(session, request_id)
            if request is None:
                raise InvalidGrant
            row = Device(
                id=new_id(),
                user_id=user_id,
                digest=digest(secret),
                name=request.name,
                platform=request.platform,
                created=now,
                seen=now,
            )
            queries.add(session, row)
        scope = " ".join(sorted(USER_ACLS))
        return AccessToken(access_token=secret, token_type="Bearer", scope=scope)  # noqa: S106 - what kind it is


def _check_client(client_id: str) -> None:
    if client_id != rules.CLIENT:
        raise InvalidClient(rules.CLIENT)


def _check_form(form: TokenForm) -> None:
    if form.grant_type != rules.GRANT:
        raise UnsupportedGrantType(rules.GRANT)
    _check_client(form.client_id)
    if not form.device_code:
        raise InvalidRequest([Fault("device_code", "This field is required.")])
