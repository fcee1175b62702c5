"""Letting answers with bytes of games be sent: how many at once, and how fast."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from time import monotonic

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor, Person
from playdock.features.links.service import LinkBooks
from playdock.features.statistics.service import TransferBooks
from playdock.features.traffic.errors import TooManyDownloads
from playdock.features.traffic.rules import Bucket, Limits, limits_of, limits_of_server
from playdock.settings import Settings

_MOMENTS = 10
_MOMENT_SECONDS = 0.025


@dataclass(frozen=True, slots=True)
class Standing:
    """Limits, and how many transfers there are."""

    limits: Limits
    running: int


@dataclass(slots=True)
class Line:
    """The transfers of one user, or of the whole service, and what they may send."""

    bucket: Bucket
    at_once: int = 0
    running: "set[Passage]" = field(default_factory=set)
    _queue: asyncio.Lock = field(default_factory=asyncio.Lock)

    def limit(self, limits: Limits) -> None:
        self.bucket.rate, self.at_once = limits.rate, limits.at_once

    @property
    def is_full(self) -> bool:
        return 0 < self.at_once <= len(self.running)

    @asynccontextmanager
    async def portion(self, wanted: int) -> AsyncIterator[int]:
        """Wait until it is one's turn and something may be sent: so many bytes, which nobody else takes meanwhile."""
        async with self._queue:
            portion = self.bucket.portion(wanted, among=len(self.running))
            if seconds := self.bucket.seconds_until(portion):
                await asyncio.sleep(seconds)
            yield portion


@dataclass(eq=False, slots=True)
class Passage:
    """The leave to send one answer of so many bytes; ``link`` is the id of the signed link they were taken from.

    ``count`` is told how many were sent.
    """

    own: Line
    server: Line
    books: LinkBooks
    length: int
    count: Callable[[int], None]
    link: str | None = None

    async def allowance(self, wanted: int) -> int:
        async with self.own.portion(wanted) as most, self.server.portion(most) as allowed:
            self.own.bucket.take(allowed)
            self.server.bucket.take(allowed)
            return allowed

    def spent(self, allowed: int, sent: int) -> None:
        self.own.bucket.give_back(allowed - sent)
        self.server.bucket.give_back(allowed - sent)

    def enter(self) -> None:
        self.own.running.add(self)
        self.server.running.add(self)

    def leave(self, *, sent: int) -> None:
        if self not in self.own.running:
            return
        self.own.running.discard(self)
        self.server.running.discard(self)
        self.count(sent)
        if self.link:
            self.books.give_back(self.link, self.length - sent)


class Traffic:
    """All answers with bytes of games that this process is sending. It belongs to the event loop's thread.

    One of several processes lets through its share of what the limits allow.
    """

    def __init__(self, settings: Settings, books: LinkBooks, sent: TransferBooks, *, processes: int = 1) -> None:
        self._settings = settings
        self._books = books
        self._sent = sent
        self._processes = processes
        self._server = Line(Bucket(monotonic))
        self._server.limit(limits_of_server(settings).share(processes))
        # A line stays, or somebody would have a full bucket again whenever nothing of theirs is running.
        self._lines: dict[str, Line] = {}

    async def admit(self, actor: Actor, version_id: str, length: int) -> Passage:
        """Let a body of so many bytes of a version be sent.

        Raises:
            TooManyDownloads: the caller, or the service, is sending as much at once as it may.
            LinkUsedUp: the signed link that was shown does not give so much any more.
        """
        actor.require(Acl.CONTENT_READ)
        own = self._line_of(actor.person)
        await self._wait_a_moment(own)
        if own.is_full:
            raise TooManyDownloads("You have")
        if self._server.is_full:
            raise TooManyDownloads("The service has")
        count = partial(self._sent.add, actor.person.id, version_id)
        passage = Passage(own, self._server, self._books, length, count)
        passage.enter()
        if actor.credential.counted:
            await self._spend(passage, actor.credential.id)
        return passage

    async def _wait_a_moment(self, own: Line) -> None:
        """Let what has just been sent end: its reader may be quicker with the next request than we are."""
        for _ in range(_MOMENTS):
            if not (own.is_full or self._server.is_full):
                return
            await asyncio.sleep(_MOMENT_SECONDS)

    def count_in_front(self, actor: Actor, version_id: str, length: int) -> None:
        """Count what the web server in front is told to send; whether all of it leaves, nobody learns."""
        actor.require(Acl.CONTENT_READ)
        self._sent.add(actor.person.id, version_id, length)

    def limits_anything(self, actor: Actor) -> bool:
        """Tell whether the service has to count what the caller gets, so that nobody else may send it.

        How many transfers users generally may have is for the service's own sake, and does not count here.
        """
        actor.require(Acl.CONTENT_READ)
        rate = self._settings.download_rate or limits_of(actor.person, self._settings).rate
        return bool(rate or actor.person.downloads_at_once or actor.credential.counted)

    def standing_of(self, actor: Actor) -> Standing:
        """Tell the caller's limits, and how many transfers of theirs this process is sending."""
        actor.require(Acl.CONTENT_READ)
        person = actor.person
        return Standing(limits_of(person, self._settings), len(self._line_of(person).running))

    @property
    def standing(self) -> Standing:
        """The limits of the service, and how many transfers this process is sending."""
        return Standing(limits_of_server(self._settings), len(self._server.running))

    async def _spend(self, passage: Passage, link_id: str) -> None:
        try:
            await self._books.spend(link_id, passage.length)
        except BaseException:
            passage.leave(sent=0)
            raise
        passage.link = link_id

    def _line_of(self, person: Person) -> Line:
        line = self._lines.get(person.id)
        if line is None:
            line = self._lines[person.id] = Line(Bucket(monotonic))
        line.limit(limits_of(person, self._settings).share(self._processes))
        return line
