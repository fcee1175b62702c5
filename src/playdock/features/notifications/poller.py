"""One poller per process: it reads new notifications for all web sockets, with one query at a time."""

import asyncio
from functools import partial

import anyio
import structlog
from anyio import to_thread
from msgspec import Struct, field

from playdock.auth.permissions import Permission
from playdock.auth.resolver import CredentialResolver
from playdock.features.notifications.schemas import NotificationResponse
from playdock.features.notifications.service import UserNotifications

# Events are announced within a minute; nobody notices two more seconds.
_POLL_SECONDS = 2.0
# A socket that does not take these misses some: its page lists them all when it connects again.
_MAX_UNSENT = 100

_log = structlog.get_logger()


class Subscription(Struct, eq=False):
    """What one socket has yet to send; None once its credential is no longer valid, or if it does not keep up."""

    secret: str
    user_id: str
    _unsent: asyncio.Queue[NotificationResponse | None] = field(default_factory=asyncio.Queue)

    def put(self, notification: NotificationResponse) -> None:
        if self._unsent.qsize() >= _MAX_UNSENT:
            self.end()
        else:
            self._unsent.put_nowait(notification)

    def end(self) -> None:
        self._unsent.put_nowait(None)

    async def next_notification(self) -> NotificationResponse | None:
        """Wait for a notification; None if there will be no more."""
        return await self._unsent.get()


class NotificationPoller(Struct, eq=False):
    """Polls while sockets are open. It belongs to the event loop's thread."""

    notifications: UserNotifications
    credentials: CredentialResolver
    _subscriptions: set[Subscription] = field(default_factory=set)
    _wake: anyio.Event = field(default_factory=anyio.Event)
    _running: asyncio.Task[None] | None = None

    async def add(self, subscription: Subscription) -> None:
        """Send to a socket the notifications that are written after this call has returned."""
        self._subscriptions.add(subscription)
        if self._running is None:
            last = await to_thread.run_sync(self.notifications.last_id)
            # Another socket may have started it in the meantime.
            self._running = self._running or asyncio.create_task(self._run(last), name="notification-poller")

    def remove(self, subscription: Subscription) -> None:
        """Remove a socket that is closed."""
        self._subscriptions.discard(subscription)
        self._wake.set()

    async def _run(self, last: int) -> None:
        """Poll until no socket is open. A failed poll closes all of them: their clients connect again."""
        try:
            while self._subscriptions:
                self._wake = anyio.Event()
                last = await self._poll(last)
                with anyio.move_on_after(_POLL_SECONDS):
                    await self._wake.wait()
        except Exception as error:  # noqa: BLE001 - the sockets are closed, and their clients connect again
            _log.warning("notifications could not be read", exc_info=error)
        finally:
            self._running = None
            for subscription in self._subscriptions:
                subscription.end()

    async def _poll(self, last: int) -> int:
        subscriptions = list(self._subscriptions)
        for subscription in subscriptions:
            actor = await self.credentials.find(subscription.secret)
            if actor is None or Permission.NOTIFICATIONS_LISTEN not in actor.acls:
                self._subscriptions.discard(subscription)
                subscription.end()
        users = {subscription.user_id for subscription in self._subscriptions}
        added = await to_thread.run_sync(partial(self.notifications.added_since, last, users))
        for row in added:
            notification = NotificationResponse.of(row)
            for subscription in self._subscriptions:
                if subscription.user_id == row.user_id:
                    subscription.put(notification)
        return max([last, *(row.id for row in added)])
