"""Authorizing devices and signing them out."""

from collections.abc import Sequence
from itertools import repeat

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import USER_PERMISSIONS, Permission
from playdock.auth.resolver import DEVICE_PREFIX
from playdock.db.database import Database
from playdock.features.accounts import queries as account_queries
from playdock.features.accounts.service import existing_user, lock_caller
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
from playdock.kit.errors import FieldError
from playdock.kit.identifiers import digest, new_code, new_id, new_secret
from playdock.kit.messages import Message
from playdock.kit.oauth import InvalidRequest
from playdock.kit.secret_key import Purpose, SecretKey
from playdock.kit.security_log import SecurityEvent, record
from playdock.models import Device, DeviceRequest
from playdock.settings import Settings
from playdock.throttle import rules as throttle_rules
from playdock.throttle import service as throttle

PAGE = "/device"


class Devices(Struct, frozen=True):
    """Operations on devices and pending requests."""

    db: Database
    clock: Clock
    settings: Settings
    secret_key: SecretKey

    def request_codes(self, form: DeviceForm, *, address: str) -> DeviceAuthorization:
        """Add a pending request for a device, and return its codes.

        Raises:
            InvalidClient: the client id is unknown.
            TooManyAttempts: too many devices are pending, from this address or in total.
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
            user_code = next(
                code for code in codes if queries.add_request(session, {**values, "user_code": self._encrypt(code)})
            )
        return self._codes(device_code, rules.shown_code(user_code))

    def exchange(self, form: TokenForm) -> AccessToken:
        """Return the access token of an authorized device, once.

        Raises:
            InvalidRequest, UnsupportedGrantType, InvalidClient: the form is not a valid device request.
            InvalidGrant: the device code is unknown or used.
            AuthorizationPending, SlowDown, AccessDenied, ExpiredToken: as specified in RFC 8628, section 3.5.
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
        return self._create_device(request.id, request.user_id)

    def find_pending(self, actor: Actor, user_code: str, *, address: str) -> DeviceRequest:
        """Return the pending request with a user code.

        Raises:
            DeviceRequestUnknown: no pending request has this code.
            TooManyAttempts: too many wrong codes were entered.
        """
        actor.require_session()
        limits = throttle_rules.user_code_limits(actor.user.id, address)
        with self.db.read() as session:
            throttle.refuse_if_exhausted(session, limits, at=self.clock())
            found = queries.find_pending(session, self._encrypt(rules.plain_code(user_code)), at=self.clock())
        if found is None:
            with self.db.write() as session:
                throttle.count(session, limits, at=self.clock())
            raise DeviceRequestUnknown
        return found

    def decide(self, actor: Actor, decision: DeviceDecision, *, address: str) -> None:
        """Authorize a device to act for the caller, or deny it.

        Raises:
            DeviceRequestUnknown, TooManyAttempts: as in `find_pending`.
            RecentSignInRequired: the caller has to confirm the password to authorize it.
            SignInRequired: the session has ended, or the caller has been deleted or disabled.
        """
        actor.require_session()
        found = self.find_pending(actor, decision.user_code, address=address)
        if decision.approve:
            actor.require_recent_sign_in(now=self.clock())
        values = {"user_id": actor.user.id} if decision.approve else {"denied": True}
        with self.db.write() as session:
            lock_caller(session, actor)
            if not queries.decide(session, found.user_code, values, at=self.clock()):
                raise DeviceRequestUnknown
        if decision.approve:
            record(SecurityEvent.DEVICE_AUTHORIZED)

    def own(self, actor: Actor) -> Sequence[Device]:
        actor.require(Permission.CLIENTS_READ)
        with self.db.read() as session:
            return queries.of_user(session, actor.user.id)

    def sign_out(self, actor: Actor, device_id: str) -> None:
        """Sign out one of the caller's devices.

        Raises:
            DeviceUnknown: the caller has no device with this id.
        """
        actor.require(Permission.CLIENTS_REVOKE)
        with self.db.write() as session:
            if not queries.remove(session, device_id, user_id=actor.user.id):
                raise DeviceUnknown
        record(SecurityEvent.DEVICE_REVOKED, id=device_id)

    def of_user(self, actor: Actor, user_id: str) -> Sequence[Device]:
        """Return the devices of a user, last used first.

        Raises:
            UserUnknown: no user has this id.
        """
        actor.require(Permission.ADMIN_USER_READ)
        with self.db.read() as session:
            existing_user(session, user_id)
            return queries.of_user(session, user_id)

    def sign_out_of_user(self, actor: Actor, user_id: str, device_id: str) -> None:
        """Sign out a device of a user.

        Raises:
            DeviceUnknown: the user has no device with this id.
        """
        actor.require(Permission.ADMIN_USER_UPDATE)
        with self.db.write() as session:
            if not queries.remove(session, device_id, user_id=user_id):
                raise DeviceUnknown
        record(SecurityEvent.DEVICE_REVOKED, user=user_id, id=device_id)

    def sign_out_all_of_user(self, actor: Actor, user_id: str) -> None:
        """Sign out all devices of a user, including those that the user has just authorized.

        Raises:
            UserUnknown: no user has this id.
        """
        actor.require(Permission.ADMIN_USER_UPDATE)
        with self.db.write() as session:
            existing_user(session, user_id)
            queries.end_of_user(session, user_id)
        record(SecurityEvent.DEVICES_REVOKED, user=user_id)

    def end_of_user(self, session: Session, user_id: str) -> None:
        """Sign out the devices of a user whose account or password changes."""
        queries.end_of_user(session, user_id)

    def _encrypt(self, plain_code: str) -> str:
        return self.secret_key.encrypt(plain_code, Purpose.USER_CODE)

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
            is_recorded = queries.note_poll(session, request, pause=pause, at=now)
        return SlowDown() if too_soon or not is_recorded else AuthorizationPending()

    def _create_device(self, request_id: str, user_id: str) -> AccessToken:
        now, secret = self.clock(), new_secret(DEVICE_PREFIX)
        with self.db.write() as session:
            # Lock order: a user is locked before the rows that belong to the user.
            user = account_queries.lock_user(session, user_id)
            if user is None or not user.enabled:
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
        scope = " ".join(sorted(USER_PERMISSIONS))
        return AccessToken(access_token=secret, token_type="Bearer", scope=scope)  # noqa: S106 - what kind it is


def _check_client(client_id: str) -> None:
    if client_id != rules.CLIENT:
        raise InvalidClient(rules.CLIENT)


def _check_form(form: TokenForm) -> None:
    if form.grant_type != rules.GRANT:
        raise UnsupportedGrantType(rules.GRANT)
    _check_client(form.client_id)
    if not form.device_code:
        raise InvalidRequest([FieldError("device_code", Message("field-required"))])
