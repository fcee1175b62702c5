"""The only way to send requests to other servers: an HTTP client with one event loop in its own thread."""

import threading
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack
from typing import Protocol

from anyio.from_thread import BlockingPortal, start_blocking_portal

from playdock.fetching.errors import Unreachable
from playdock.fetching.requests import FetchLimits, FetchResponse, Request


class _Client(Protocol):
    """The part of `http_client.HttpClient` that is used here. That module is loaded with the first request."""

    async def fetch(self, request: Request, limits: FetchLimits) -> FetchResponse: ...

    async def close(self) -> None: ...


class Fetcher:
    """Sends requests from any thread. The event loop starts with the first request; `close` ends it for good."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._running = ExitStack()
        self._portal: BlockingPortal | None = None
        self._client: _Client | None = None

    def fetch(self, request: Request, limits: FetchLimits) -> FetchResponse:
        """Send a request and return the complete response of any status.

        Raises:
            Unreachable, FetchTimeout, ResponseTooLarge, RedirectRefused: there is no response within the limits.
        """
        try:
            return self._submit(request, limits).result()
        except CancelledError:
            raise Unreachable("server-stopping") from None

    def sleep(self, seconds: float) -> None:
        """Sleep for some seconds, or until `close` is called."""
        self._closed.wait(seconds)

    def close(self) -> None:
        """Cancel all requests, close all connections and end the thread."""
        with self._lock:
            self._closed.set()
            portal, self._portal = self._portal, None
        if portal is not None:
            portal.call(self._end, portal)
            self._running.close()

    def _submit(self, request: Request, limits: FetchLimits) -> Future[FetchResponse]:
        """Start a request in the event loop, under the lock that keeps `close` from ending the loop."""
        with self._lock:
            if self._closed.is_set():
                raise CancelledError
            if self._portal is None:
                from playdock.fetching.http_client import HttpClient

                self._client = HttpClient()
                self._portal = self._running.enter_context(start_blocking_portal(name="web"))
            assert self._client is not None
            return self._portal.start_task_soon(self._client.fetch, request, limits)

    async def _end(self, portal: BlockingPortal) -> None:
        assert self._client is not None
        await self._client.close()
        await portal.stop(cancel_remaining=True)
