"""Opening streams, and reading what they send."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from time import monotonic

from anyio import to_thread

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.auth.resolver import CredentialResolver
from playdock.db.database import Database
from playdock.db.notifying import Channel
from playdock.domain.events import queries
from playdock.features.event_streams import rules
from playdock.features.event_streams.errors import EventsGone, TooManyEventStreams
from playdock.models import Event
from playdock.server.readiness import Readiness

# More than somebody has programs, and few enough that one user leaves streams to others.
_MAX_PER_USER = 5
# Each looks every two seconds whether it must end, which a process hardly notices with so many.
_MAX_STREAMS = 50
# A revoked token, the end of the process and, on SQLite, events of other processes are noticed within this time.
_CHECK_SECONDS = 2.0
# Shorter than the time after which proxies usually close a connection that sends nothing, which is a minute.
_HEARTBEAT_SECONDS = 15.0
# What a stream holds in memory: some 100 kB.
_EVENTS_AT_ONCE = 100


class EventStreams:
    """The open streams of this process. It belongs to the event loop's thread."""

    def __init__(self, db: Database, credentials: CredentialResolver, readiness: Readiness) -> None:
        self._db = db
        self._credentials = credentials
        self._readiness = readiness
        self._open: Counter[str] = Counter()
        self._numbering = asyncio.Lock()
        self._recorded = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._notifications = db.listen(Channel.EVENTS, self._on_notification)

    async def open(self, actor: Actor, secret: str, *, after: int | None) -> "EventStream":
        """Return a stream of the events after a position, or of those that happen from now on.

        Raises:
            EventsGone: the events after the position are no longer kept.
            TooManyEventStreams: too many streams are open.
        """
        actor.require(Permission.EVENTS_READ)
        user_id = actor.user.id
        if self._open[user_id] >= _MAX_PER_USER or self._open.total() >= _MAX_STREAMS:
            raise TooManyEventStreams
        self._open[user_id] += 1
        try:
            if self._loop is None:
                self._loop = asyncio.get_running_loop()
                self._notifications.start()
            await self._number()
            return EventStream(self, secret, user_id, await to_thread.run_sync(self._start, after))
        except BaseException:
            self.release(user_id)
            raise

    def release(self, user_id: str) -> None:
        """Let the user open another stream."""
        self._open[user_id] -= 1
        if not self._open[user_id]:
            del self._open[user_id]

    def close(self) -> None:
        """Stop listening to notifications."""
        if self._loop is not None:
            self._notifications.stop()

    async def may_continue(self, secret: str) -> bool:
        """Return whether a stream may go on: not without a valid credential, or while the process drains."""
        if self._readiness.is_draining:
            return False
        actor = await self._credentials.find(secret)
        return actor is not None and actor.may(Permission.EVENTS_READ)

    async def next_events(self, position: int) -> Sequence[Event]:
        """Return the first events after a position, and wait for some time if there are none."""
        recorded = self._recorded
        await self._number()
        events = await to_thread.run_sync(self._after, position)
        if not events:
            with suppress(TimeoutError):
                await asyncio.wait_for(recorded.wait(), _CHECK_SECONDS)
        return events

    async def _number(self) -> None:
        """Give new events their positions, for all streams that wait for the same ones."""
        async with self._numbering:
            await to_thread.run_sync(self._number_all)

    def _number_all(self) -> None:
        with self._db.read() as session:
            if not queries.any_unnumbered(session):
                return
        with self._db.write() as session:
            queries.number(session)

    def _start(self, after: int | None) -> int:
        with self._db.read() as session:
            first, last = queries.kept_positions(session)
        if after is None:
            return last
        if not first - 1 <= after <= last:
            raise EventsGone
        return after

    def _after(self, position: int) -> Sequence[Event]:
        with self._db.read() as session:
            return queries.after(session, position, limit=_EVENTS_AT_ONCE)

    def _on_notification(self) -> None:
        """Wake all streams. This is called in another thread, and may be called after the end of the loop."""
        with suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._recorded.set()
        self._recorded = asyncio.Event()


class EventStream:
    """One stream."""

    def __init__(self, streams: EventStreams, secret: str, user_id: str, position: int) -> None:
        self._streams = streams
        self._secret = secret
        self._user_id = user_id
        self._position = position

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield what is sent, and nothing every few seconds, so that the reader can see whether its client is there."""
        yield rules.HEARTBEAT
        sent = monotonic()
        while await self._streams.may_continue(self._secret):
            events = await self._streams.next_events(self._position)
            for event in events:
                self._position = event.position or 0
                yield rules.text_of(self._position, event.event_type, event.created, event.data)
            if events or monotonic() - sent < _HEARTBEAT_SECONDS:
                sent = monotonic() if events else sent
                yield b""
            else:
                sent = monotonic()
                yield rules.HEARTBEAT

    def close(self) -> None:
        self._streams.release(self._user_id)
