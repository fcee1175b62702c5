"""Resolution of credentials to actors.

Most requests repeat the credential of a recent request, so actors are cached. They are valid until a credential or a
user is changed or deleted (`CommitScopedCache`), so that deletions, sign-outs and revocations take effect on the next
request in every process. The cache is also cleared at the interval at which the last use of a session is recorded.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from anyio import to_thread
from msgspec import Struct

from playdock.auth import queries, tickets
from playdock.auth.actor import Actor, Credential, CredentialKind
from playdock.auth.errors import InvalidClientId
from playdock.auth.permissions import Permission
from playdock.auth.queries import ResolvedCredential
from playdock.auth.signed_headers import SignedHeader
from playdock.db.commit_cache import CommitScopedCache
from playdock.db.database import Database
from playdock.db.revisions import Numbers, Subject
from playdock.kit.clock import Clock, utc_now
from playdock.kit.identifiers import digest
from playdock.kit.secret_key import Purpose, SecretKey
from playdock.settings import Settings

SESSION_PREFIX = "pds"
TOKEN_PREFIX = "pdt"  # noqa: S105 - what tokens begin with
DEVICE_PREFIX = "pdc"
LINK_PREFIX = "pdl"
WEB_VIEW_PREFIX = "pdw"
# What the pages in the web view of Drop's client read.
WEB_VIEW_PERMISSIONS = frozenset(
    {Permission.USER_READ, Permission.STORE_READ, Permission.COLLECTIONS_READ, Permission.OBJECT_READ}
)
_SESSION_IDLE = timedelta(days=Settings().session_idle_days)
_FIND = {
    DEVICE_PREFIX: queries.find_device,
    LINK_PREFIX: queries.find_link,
}


class _SigningDevice(Struct, frozen=True):
    """A device that signs its requests. ``verify`` raises if it has not signed a header at a time."""

    actor: Actor
    verify: Callable[[SignedHeader, datetime], None]


@dataclass(slots=True)
class CredentialResolver:
    """Resolves credentials. Call `resolve` in any thread except that of the event loop, and everything else there."""

    db: Database
    clock: Clock
    secret_key: SecretKey
    session_idle: timedelta = _SESSION_IDLE
    _cleared: datetime = field(default_factory=utc_now)
    _actors: CommitScopedCache[str, Actor] = field(init=False)
    _signing_devices: CommitScopedCache[str, _SigningDevice] = field(init=False)

    def __post_init__(self) -> None:
        self._actors = CommitScopedCache(self.db, Subject.CREDENTIALS)
        self._signing_devices = CommitScopedCache(self.db, Subject.CREDENTIALS)

    async def find(self, secret: str) -> Actor | None:
        """Return the actor of a secret, from the cache or the database; None if it is not valid."""
        found = await self.cached(secret)
        if found is None:
            revision = self.revision
            found = await to_thread.run_sync(self.resolve, secret)
            if found is not None:
                self.store(secret, found, revision=revision)
        return found

    async def cached(self, secret: str) -> Actor | None:
        """Return the cached actor of a secret, or None if there is none that is still valid."""
        return self.cached_at(await self.db.revisions.latest(), secret)

    def cached_at(self, numbers: Numbers | None, secret: str) -> Actor | None:
        """Return the cached actor of a secret if it is valid at ``numbers``, which were read during the request."""
        self._clear_regularly()
        return self._unexpired(self._actors.cached_at(numbers, secret))

    def store(self, secret: str, actor: Actor, *, revision: int | None) -> None:
        """Cache an actor unless credentials have changed since ``revision``, which was read before `resolve`."""
        self._actors.store(secret, actor, revision=revision)

    @property
    def revision(self) -> int | None:
        """The revision that was read last."""
        return self._actors.revision

    def resolve(self, secret: str) -> Actor | None:
        """Find the actor of a secret in the database, or None."""
        prefix = tickets.prefix_of(secret)
        if prefix == WEB_VIEW_PREFIX:
            return self._resolve_web_view(secret)
        if prefix != tickets.TICKET_PREFIX:
            return self._resolve(prefix, digest(secret))
        ticket = tickets.read(secret, at=self.clock(), key=self.secret_key)
        actor = self._resolve(ticket.prefix, ticket.digest) if ticket else None
        return ticket.narrow(actor) if ticket and actor else None

    def _resolve(self, prefix: str, digest: str) -> Actor | None:
        now = self.clock()
        with self.db.read() as session:
            if prefix == SESSION_PREFIX:
                resolved = queries.find_session(session, digest, at=now, idle=self.session_idle)
            else:
                # Tokens that were moved from other servers have any form.
                resolved = _FIND.get(prefix, queries.find_token)(session, digest, at=now)
        self._note_use(resolved, at=now)
        return resolved.actor if resolved else None

    async def find_signer(self, header: SignedHeader) -> Actor:
        """Return the device that signed a request.

        Raises:
            InvalidClientId, NonceExpired, InvalidNonceSignature: it is unknown, or has not signed it now.
        """
        self._clear_regularly()
        device = await self._signing_devices.cached(header.device_id)
        if device is not None:
            await to_thread.run_sync(device.verify, header, self.clock())
            return device.actor
        revision = self._signing_devices.revision
        device = await to_thread.run_sync(self._resolve_signed, header)
        self._signing_devices.store(header.device_id, device, revision=revision)
        return device.actor

    def _resolve_signed(self, header: SignedHeader) -> _SigningDevice:
        from playdock.auth import device_signatures

        now = self.clock()
        with self.db.read() as session:
            found = queries.find_signing_device(session, header.device_id, at=now)
        if found is None:
            raise InvalidClientId
        resolved, certificate = found
        device = _SigningDevice(resolved.actor, device_signatures.verifier(certificate))
        device.verify(header, now)
        self._note_use(resolved, at=now)
        return device

    def web_view_token(self, device_id: str) -> str:
        """Return the secret with which the web view of a device reads the pages, as long as the device exists."""
        return f"{WEB_VIEW_PREFIX}_{self.secret_key.encrypt(device_id, Purpose.WEB_VIEW)}"

    def _resolve_web_view(self, secret: str) -> Actor | None:
        device_id = self.secret_key.decrypt(secret.partition("_")[2], Purpose.WEB_VIEW)
        with self.db.read() as session:
            found = queries.find_signing_device(session, device_id, at=self.clock()) if device_id else None
        if found is None:
            return None
        actor = found[0].actor
        credential = Credential(CredentialKind.WEB_VIEW, actor.credential.id, None)
        return Actor(actor.user, actor.acls & WEB_VIEW_PERMISSIONS, credential)

    def _note_use(self, resolved: ResolvedCredential | None, *, at: datetime) -> None:
        if resolved and resolved.stale:
            credential = resolved.actor.credential
            # If that is not possible now, the next request records it.
            self.db.note(lambda session: queries.mark_seen(session, credential, at=at))

    def _clear_regularly(self) -> None:
        now = self.clock()
        if now - self._cleared > queries.LAST_SEEN_INTERVAL:
            self._actors.clear()
            self._signing_devices.clear()
            self._cleared = now

    def _unexpired(self, actor: Actor | None) -> Actor | None:
        if actor is None or (actor.credential.expires and actor.credential.expires <= self.clock()):
            return None
        return actor
