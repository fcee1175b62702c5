"""The web socket at ``/api/v1/notifications/ws``

The server sends each new notification of the caller, as Drop does, or ``unauthenticated`` and closes.
"""

from typing import Any

import anyio
import msgspec
from litestar import WebSocket, websocket
from litestar.exceptions import WebSocketDisconnect
from litestar.handlers import WebsocketRouteHandler

from playdock.auth.permissions import Permission
from playdock.auth.resolver import CredentialResolver
from playdock.features.notifications.poller import NotificationPoller, Subscription
from playdock.features.notifications.service import UserNotifications
from playdock.server.routing import actor_of, secret_of

AnySocket = WebSocket[Any, Any, Any]


def notification_socket(notifications: UserNotifications, credentials: CredentialResolver) -> WebsocketRouteHandler:
    """Return the route of the web socket."""
    poller = NotificationPoller(notifications, credentials)

    @websocket("/api/v1/notifications/ws")
    async def listen_to_notifications(socket: AnySocket) -> None:
        await _serve(socket, poller)

    return listen_to_notifications


async def _serve(socket: AnySocket, poller: NotificationPoller) -> None:
    actor = actor_of(socket)
    if actor is None or Permission.NOTIFICATIONS_LISTEN not in actor.acls:
        await socket.accept()
        await _refuse(socket)
        return
    subscription = Subscription(secret_of(socket), actor.user.id)
    try:
        await poller.add(subscription)
        await socket.accept()
        async with anyio.create_task_group() as group:
            group.start_soon(_send, socket, subscription)
            await _wait_until_closed(socket)
            group.cancel_scope.cancel()
    finally:
        poller.remove(subscription)


async def _send(socket: AnySocket, subscription: Subscription) -> None:
    """Send notifications until the caller's credential is no longer valid."""
    while (notification := await subscription.next_notification()) is not None:
        await socket.send_text(msgspec.json.encode(notification).decode())
    await _refuse(socket)


async def _refuse(socket: AnySocket) -> None:
    await socket.send_text("unauthenticated")
    await socket.close()


async def _wait_until_closed(socket: AnySocket) -> None:
    try:
        while True:
            await socket.receive_text()
    except WebSocketDisconnect:
        return
