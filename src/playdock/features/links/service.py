"""Making, counting and revoking signed links."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.auth.bearers import LINK_PREFIX
from playdock.db.database import Database
from playdock.db.turns import take_turn
from playdock.features.games.errors import VersionUnknown
from playdock.features.links import queries, rules
from playdock.features.links.errors import LinkUnknown, LinkUsedUp, TooManyLinks
from playdock.features.links.queries import LivingLink
from playdock.features.links.schemas import DownloadLinkDraft
from playdock.kit.clock import Clock
from playdock.kit.secrets import digest, new_id, new_secret
from playdock.models import DownloadLink
from playdock.settings import Settings

_log = structlog.get_logger()


class Lengths(Protocol):
    """Who knows how long things are that a link may lead to."""

    def length(self, version_id: str, kind: str, path: str | None) -> int:
        """Give the bytes of a version's content or archive, or of one of its files.

        Raises:
            NotFound: there is no such version or file.
        """
        ...


@dataclass(frozen=True, slots=True)
class NewLink:
    """A link with its whole address, which is stored nowhere."""

    row: DownloadLink
    url: str


@dataclass(frozen=True, slots=True)
class Links:
    """The signed links of people."""

    db: Database
    clock: Clock
    settings: Settings

    def create(self, actor: Actor, version_id: str, draft: DownloadLinkDraft, lengths: Lengths) -> NewLink:
        """Make a link for whoever the caller gives it to.

        Raises:
            InvalidInput: the path is missing or out of place, or the expiry is past or too far ahead.
            VersionUnknown, NotFound: there is no such version, or no such file.
            TooManyLinks: the caller has as many as anybody may have.
        """
        actor.require(Acl.CONTENT_READ)
        now, secret = self.clock(), new_secret(LINK_PREFIX)
        target = rules.target(version_id, draft.kind, draft.path)
        expires = rules.expiry(draft.expires, now=now)
        length = lengths.length(version_id, draft.kind, draft.path)
        row = DownloadLink(
            id=new_id(),
            user_id=actor.person.id,
            version_id=version_id,
            digest=digest(secret),
            target=target,
            created=now,
            expires=expires,
            bytes_left=None if draft.downloads is None else draft.downloads * length,
        )
        with self.db.write() as session:
            take_turn(session, f"links of {actor.person.id}")
            if queries.count_living(session, actor.person.id, at=now) >= rules.MOST_LINKS:
                raise TooManyLinks
            if not queries.hold_version(session, version_id):
                raise VersionUnknown
            queries.add(session, row)
        return NewLink(row, f"{self.settings.address}{rules.address(target, secret)}")

    def own(self, actor: Actor) -> Sequence[LivingLink]:
        actor.require(Acl.CONTENT_READ)
        with self.db.read() as session:
            return queries.of_user(session, actor.person.id, at=self.clock())

    def revoke(self, actor: Actor, link_id: str) -> None:
        """Revoke one of the own links.

        Raises:
            LinkUnknown: there is no such link.
        """
        actor.require(Acl.CONTENT_READ)
        with self.db.write() as session:
            if not queries.remove(session, link_id, user_id=actor.person.id):
                raise LinkUnknown

    def spend(self, link_id: str, length: int) -> bool:
        """Take bytes from what may still pass by a link, before they are sent; False if there are not so many."""
        with self.db.write() as session:
            return queries.spend(session, link_id, length)

    def give_back(self, link_id: str, length: int) -> None:
        """Give back bytes that were taken and not sent."""
        with self.db.write() as session:
            queries.give_back(session, link_id, length)


def _one_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="link-books")


@dataclass(frozen=True, slots=True)
class LinkBooks:
    """What was taken from links and what is given back, in a thread of its own, one after the other.

    So a request that is cancelled loses nothing: what it left behind is done nevertheless, also when the service stops.
    """

    links: Links
    _thread: ThreadPoolExecutor = field(default_factory=_one_thread)

    async def spend(self, link_id: str, length: int) -> None:
        """Take bytes from what may still pass by a link.

        Raises:
            LinkUsedUp: there are not so many.
        """
        spending = self._thread.submit(self.links.spend, link_id, length)
        try:
            enough = await asyncio.wrap_future(spending)
        except asyncio.CancelledError:
            if not spending.cancelled():
                self._thread.submit(self._undo, spending, link_id, length)
            raise
        if not enough:
            raise LinkUsedUp

    def give_back(self, link_id: str, length: int) -> None:
        """Give back bytes that were taken and not sent, soon."""
        if length > 0:
            self._thread.submit(self._give_back, link_id, length)

    def close(self) -> None:
        """Wait until all is done."""
        self._thread.shutdown()

    def _undo(self, spending: "Future[bool]", link_id: str, length: int) -> None:
        if spending.exception() is None and spending.result():
            self._give_back(link_id, length)

    def _give_back(self, link_id: str, length: int) -> None:
        try:
            self.links.give_back(link_id, length)
        except Exception as error:  # noqa: BLE001 - nobody waits for the answer
            _log.error("a link lost bytes that were not downloaded", link=link_id, bytes=length, reason=str(error))
