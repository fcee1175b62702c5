"""Creating, counting and revoking download links."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

import structlog
from msgspec import Struct, field
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.auth.resolver import LINK_PREFIX
from playdock.db.database import Database
from playdock.db.locks import LockLevel, advisory_lock
from playdock.domain.games.errors import VersionUnknown
from playdock.features.links import queries, rules
from playdock.features.links.errors import LinkUnknown, LinkUsedUp, TooManyLinks
from playdock.features.links.queries import ActiveLink
from playdock.features.links.schemas import DownloadLinkCreate
from playdock.kit.clock import Clock
from playdock.kit.identifiers import digest, new_id, new_secret
from playdock.models import DownloadLink

_log = structlog.get_logger()


class ContentLengths(Protocol):
    """Returns the sizes of the targets of links."""

    def length(self, version_id: str, kind: str, path: str | None) -> int:
        """Return the size in bytes of a version's content or archive, or of one of its files.

        Raises:
            NotFound: the version or file does not exist.
        """
        ...


class NewLink(Struct, frozen=True):
    """A link with the path of its URL, which is not stored because it contains the secret."""

    row: DownloadLink
    path: str


class Links(Struct, frozen=True):
    """Operations on download links."""

    db: Database
    clock: Clock

    def create(self, actor: Actor, version_id: str, data: DownloadLinkCreate, lengths: ContentLengths) -> NewLink:
        """Create a link. Anyone to whom the caller passes it can use it.

        Raises:
            InvalidInput: the path is missing or not allowed, or the expiry is in the past or too far ahead.
            VersionUnknown, NotFound: the version or file does not exist.
            TooManyLinks: the caller has the maximum number of links.
        """
        actor.require(Permission.CONTENT_READ)
        now, secret = self.clock(), new_secret(LINK_PREFIX)
        target = rules.target(version_id, data.kind, data.path)
        expires = rules.expiry(data.expires, now=now)
        length = lengths.length(version_id, data.kind, data.path)
        row = DownloadLink(
            id=new_id(),
            user_id=actor.user.id,
            version_id=version_id,
            digest=digest(secret),
            target=target,
            created=now,
            expires=expires,
            bytes_left=None if data.downloads is None else data.downloads * length,
        )
        with self.db.write() as session:
            advisory_lock(session, LockLevel.LINKS, actor.user.id)
            if queries.count_active(session, actor.user.id, at=now) >= rules.MAX_LINKS:
                raise TooManyLinks
            if not queries.lock_version(session, version_id):
                raise VersionUnknown
            queries.add(session, row)
        return NewLink(row, rules.address(target, secret))

    def own(self, actor: Actor) -> Sequence[ActiveLink]:
        actor.require(Permission.CONTENT_READ)
        with self.db.read() as session:
            return queries.of_user(session, actor.user.id, at=self.clock())

    def revoke(self, actor: Actor, link_id: str) -> None:
        """Revoke one of the caller's links.

        Raises:
            LinkUnknown: the caller has no link with this id.
        """
        actor.require(Permission.CONTENT_READ)
        with self.db.write() as session:
            if not queries.remove(session, link_id, user_id=actor.user.id):
                raise LinkUnknown

    def end_of_user(self, session: Session, user_id: str) -> None:
        """Revoke the links of a user whose password is reset."""
        queries.end_of_user(session, user_id)

    def spend(self, link_id: str, length: int) -> bool:
        """Reserve bytes of a link's quota before they are sent; False if too few are left."""
        with self.db.write() as session:
            return queries.spend(session, link_id, length)

    def release(self, link_id: str, length: int) -> None:
        """Release reserved bytes that were not sent."""
        with self.db.write() as session:
            queries.release(session, link_id, length)


def _one_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="link-quota")


class LinkQuota(Struct, frozen=True):
    """Reserves and releases bytes of links in its own thread, one call after the other.

    A canceled request loses nothing: its unfinished calls are still completed, even while the service stops.
    """

    links: Links
    _thread: ThreadPoolExecutor = field(default_factory=_one_thread)

    async def spend(self, link_id: str, length: int) -> None:
        """Reserve bytes of a link's quota.

        Raises:
            LinkUsedUp: too few bytes are left.
        """
        reservation = self._thread.submit(self.links.spend, link_id, length)
        try:
            is_reserved = await asyncio.wrap_future(reservation)
        except asyncio.CancelledError:
            if not reservation.cancelled():
                self._thread.submit(self._undo, reservation, link_id, length)
            raise
        if not is_reserved:
            raise LinkUsedUp

    def release(self, link_id: str, length: int) -> None:
        """Release reserved bytes that were not sent, asynchronously."""
        if length > 0:
            self._thread.submit(self._release, link_id, length)

    def close(self) -> None:
        """Wait until all calls are completed."""
        self._thread.shutdown()

    def _undo(self, reservation: "Future[bool]", link_id: str, length: int) -> None:
        if reservation.exception() is None and reservation.result():
            self._release(link_id, length)

    def _release(self, link_id: str, length: int) -> None:
        try:
            self.links.release(link_id, length)
        except Exception as error:  # noqa: BLE001 - no caller waits for the result, so it is logged
            _log.error("unsent bytes could not be released to a link", link=link_id, bytes=length, reason=str(error))
