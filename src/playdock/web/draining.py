"""Draining: what a process does from the signal to stop until the last response that has begun is complete.

The server closes the listening socket and idle connections, and waits for the responses for `DRAIN_SECONDS`. Until
then, the process is not ready (`server/readiness.py`), its tasks run elsewhere, and each further response is the last
one of its connection.
"""

import asyncio
import os
import signal
import threading
from contextlib import suppress
from functools import partial

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from msgspec import Struct

from playdock.kit.service_manager import notify
from playdock.kit.stopping import END_NOW, call_on_stop
from playdock.server.readiness import Readiness
from playdock.web.services import Services

_CLOSE = (b"connection", b"close")


class LastResponses(Struct, frozen=True):
    """ASGI application in front of another one. While the process drains, responses end their connections."""

    app: ASGIApp
    readiness: Readiness

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.readiness.is_draining and scope["type"] == ScopeType.HTTP:
            send = partial(_send_last, send)
        await self.app(scope, receive, send)


async def _send_last(send: Send, message: Message) -> None:
    if message["type"] == "http.response.start":
        message = {**message, "headers": [*message.get("headers", []), _CLOSE]}
    await send(message)


def drain_on_signals(services: Services) -> None:
    """Drain at SIGTERM or SIGINT, and end at once at a further signal; called on the event loop of the server."""
    # Only the main thread receives signals. In tests the server runs in another one.
    if threading.current_thread() is threading.main_thread():
        loop = asyncio.get_running_loop()
        call_on_stop(partial(loop.call_soon_threadsafe, _drain, services))
        signal.signal(END_NOW, lambda *_: loop.call_soon_threadsafe(_end_now, services))


def _drain(services: Services) -> None:
    """Be not ready, and hand back the tasks. They go on elsewhere while this process completes its responses."""
    if not services.readiness.is_draining:
        services.readiness.start_draining()
        notify("STOPPING=1")
        threading.Thread(target=services.runner.stop, name="tasks-stop", daemon=True).start()


def _end_now(services: Services) -> None:
    threading.Thread(target=_close_and_exit, args=(services,), name="end-now").start()


def _close_and_exit(services: Services) -> None:
    """End the process although responses are being sent. Closing takes a limited time (`MAX_CLOSE_SECONDS`)."""
    with suppress(Exception):
        services.close()
    os._exit(0)
