"""Signing Drop's clients in."""

from collections.abc import Mapping

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.errors import InvalidClientId
from playdock.auth.resolver import DEVICE_PREFIX, CredentialResolver
from playdock.db.database import Database
from playdock.features.accounts import queries as account_queries
from playdock.features.accounts.service import lock_caller
from playdock.features.devices import queries as device_queries
from playdock.features.devices import rules as device_rules
from playdock.features.drop_bridge import rules
from playdock.features.drop_bridge.errors import (
    DropRequestClaimed,
    DropRequestUnknown,
    InvalidCapabilities,
    InvalidDropPlatform,
    InvalidHandshakeToken,
    NoClientListening,
    NotClaimedByYou,
    UnapprovedClientId,
)
from playdock.features.drop_bridge.schemas import HandshakeRequest, HandshakeResponse, InitiateRequest
from playdock.kit.clock import Clock
from playdock.kit.identifiers import digest, new_code, new_id, new_secret
from playdock.kit.secret_key import Purpose, SecretKey
from playdock.kit.security_log import SecurityEvent, record
from playdock.models import Device, DeviceRequest
from playdock.settings import Settings
from playdock.throttle import rules as throttle_rules
from playdock.throttle import service as throttle

CODE_MODE = "code"
_CALLBACK_MODE = "callback"
PAGE = "/client/authorize/"


class DropSignIns(Struct, frozen=True):
    """Sign-ins of Drop's clients."""

    db: Database
    clock: Clock
    settings: Settings
    secret_key: SecretKey
    credentials: CredentialResolver

    def initiate(self, body: InitiateRequest, *, address: str) -> str:
        """Add a sign-in, and return the path of its page, or its code.

        Raises:
            InvalidDropPlatform, InvalidCapabilities: the client is none that could use the service.
            TooManyAttempts: too many devices are pending, from this address or in total.
        """
        platform, now = rules.platform_of(body.platform), self.clock()
        if platform is None:
            raise InvalidDropPlatform
        if not rules.knows_any(body.capabilities):
            raise InvalidCapabilities
        is_code, request_id = body.mode == CODE_MODE, new_id()
        values = {
            "id": request_id,
            "digest": digest(new_secret(DEVICE_PREFIX)),
            "name": device_rules.device_name(body.name),
            "platform": platform,
            "created": now,
            "expires": now + device_rules.LIFETIME,
            "pause": 0,
            "denied": False,
            "drop_mode": CODE_MODE if is_code else _CALLBACK_MODE,
            "capabilities": rules.stored_capabilities(body.capabilities),
        }
        with self.db.write() as session:
            throttle.count(session, throttle_rules.device_limits(address), at=now)
            code = request_id
            added = False
            while not added:
                code = new_code(rules.CODE_LETTERS, rules.CODE_LENGTH) if is_code else request_id
                added = device_queries.add_request(session, {**values, "user_code": self._encrypt(code)})
        return code if is_code else f"{PAGE}{request_id}"

    def claim(self, actor: Actor, request_id: str) -> DeviceRequest:
        """Return a sign-in, and bind it to the caller.

        Raises:
            DropRequestUnknown: it does not exist any more.
            DropRequestClaimed: another user has opened it first.
        """
        actor.require_session()
        now = self.clock()
        with self.db.write() as session:
            found = device_queries.find_drop_request(session, request_id, at=now)
            if found is None:
                raise DropRequestUnknown
            if not device_queries.bind_drop_request(session, request_id, user_id=actor.user.id, at=now):
                raise DropRequestClaimed
            return found

    def find_code(self, actor: Actor, code: str, *, address: str) -> str:
        """Return the id of the sign-in with a code.

        Raises:
            DropRequestUnknown: no sign-in has this code.
            TooManyAttempts: too many wrong codes were entered.
        """
        actor.require_session()
        limits = throttle_rules.user_code_limits(actor.user.id, address)
        with self.db.read() as session:
            throttle.refuse_if_exhausted(session, limits, at=self.clock())
            found = device_queries.find_drop_code(session, self._encrypt(code.strip().upper()), at=self.clock())
        if found is None:
            with self.db.write() as session:
                throttle.count(session, limits, at=self.clock())
            raise DropRequestUnknown
        return found.id

    def approve(self, actor: Actor, request_id: str) -> str:
        """Approve a sign-in that the caller has opened, and return what the browser hands to the client.

        Raises:
            DropRequestUnknown: it does not exist any more.
            NotClaimedByYou: the caller has not opened it.
            RecentSignInRequired: the caller has to confirm the password.
        """
        actor.require_recent_sign_in(now=self.clock())
        token = new_id()
        self._approve(actor, request_id, {"digest": digest(token)})
        return f"{request_id}/{token}"

    def approve_code(self, actor: Actor, request_id: str) -> None:
        """Approve a sign-in whose client waits at its web socket, where it receives its token.

        Raises:
            NoClientListening: the client does not wait any more.
            DropRequestUnknown, NotClaimedByYou, RecentSignInRequired: as in `approve`.
        """
        actor.require_recent_sign_in(now=self.clock())
        self._approve(actor, request_id, {})

    def _approve(self, actor: Actor, request_id: str, values: Mapping[str, str]) -> None:
        now = self.clock()
        with self.db.write() as session:
            lock_caller(session, actor)
            found = device_queries.find_drop_request(session, request_id, at=now)
            if found is None:
                raise DropRequestUnknown
            if found.user_id != actor.user.id:
                raise NotClaimedByYou
            waits = found.polled is not None and now - found.polled <= rules.LISTENING
            if found.drop_mode == CODE_MODE and not waits:
                raise NoClientListening
            device_queries.change_drop_request(session, request_id, {**values, "approved": now})
        record(SecurityEvent.DEVICE_AUTHORIZED)

    def listen(self, code: str, *, address: str) -> str | None:
        """Return what a client with a code needs for the handshake, once; None until a user approves it.

        Raises:
            DropRequestUnknown: no sign-in has this code any more.
            TooManyAttempts: too many wrong codes were tried from this address.
        """
        limits, now = throttle_rules.listened_code_limits(address), self.clock()
        with self.db.write() as session:
            throttle.refuse_if_exhausted(session, limits, at=now)
            found = device_queries.find_drop_code(session, self._encrypt(code), at=now)
            if found is None:
                throttle.count(session, limits, at=now)
            elif found.approved:
                token = new_id()
                values = {"digest": digest(token), "user_code": self._encrypt(found.id)}
                device_queries.change_drop_request(session, found.id, values)
                return f"{found.id}/{token}"
            else:
                device_queries.change_drop_request(session, found.id, {"polled": now})
        if found is None:
            raise DropRequestUnknown
        return None

    def complete(self, body: HandshakeRequest) -> HandshakeResponse:
        """Create the device of an approved sign-in, once, and return its private key.

        Raises:
            InvalidClientId: there is no such sign-in, or it was completed.
            UnapprovedClientId: nobody has approved it.
            InvalidHandshakeToken: the token is wrong.
        """
        from playdock.features.drop_bridge import certificates

        now = self.clock()
        with self.db.read() as session:
            _check(device_queries.find_drop_request(session, body.client_id, at=now), body)
        private, certificate = certificates.issue(body.client_id, folder=self.settings.data_dir, now=now)
        with self.db.write() as session:
            found = device_queries.find_drop_request(session, body.client_id, at=now)
            # Lock order: a user is locked before the rows that belong to the user.
            user = account_queries.lock_user(session, found.user_id) if found and found.user_id else None
            if user is None or not user.enabled:
                raise InvalidClientId
            request = device_queries.claim_drop_request(session, body.client_id, at=now)
            _check(request, body)
            assert request is not None
            row = Device(
                id=request.id,
                user_id=user.id,
                digest=digest(new_secret(DEVICE_PREFIX)),
                name=request.name,
                platform=request.platform,
                created=now,
                seen=now,
                certificate=certificate,
                capabilities=request.capabilities,
            )
            device_queries.add(session, row)
        return HandshakeResponse(private=private, certificate=certificate, id=body.client_id)

    def can_save(self, actor: Actor) -> bool:
        """Return whether the device that calls may use saved games."""
        actor.require_device()
        with self.db.read() as session:
            device = device_queries.find(session, actor.credential.id)
        return device is not None and rules.can_save(device.capabilities)

    def add_capability(self, actor: Actor, name: str) -> None:
        """Record what the device that calls can do. Raises InvalidCapabilities if it is unknown."""
        actor.require_device()
        if not rules.knows_any([name]):
            raise InvalidCapabilities
        with self.db.write() as session:
            # Clients announce several at once.
            lock_caller(session, actor)
            device = device_queries.find(session, actor.credential.id)
            if device is not None and device.capabilities is not None:
                known = [*device.capabilities.split(","), name]
                device_queries.set_capabilities(session, device.id, rules.stored_capabilities(known))

    def web_token(self, actor: Actor) -> str:
        """Return a token with which the pages in the client's web view read what the user may read."""
        actor.require_device()
        return self.credentials.web_view_token(actor.credential.id)

    def _encrypt(self, code: str) -> str:
        return self.secret_key.encrypt(code, Purpose.USER_CODE)


def _check(request: DeviceRequest | None, body: HandshakeRequest) -> None:
    if request is None:
        raise InvalidClientId
    if request.approved is None:
        raise UnapprovedClientId
    if request.digest != digest(body.token):
        raise InvalidHandshakeToken
