"""The server's HTTP protocol, with an outlet for bodies that do not pass through the interpreter.

uvicorn's own protocol copies every byte of a body through its transport. Here an application finds an `Outlet` in the
scope's extensions: after the header it hands over a transfer, which is sent through a second descriptor of the
connection's socket. Reading goes on meanwhile, so that a reader who leaves is noticed at once.
"""

import asyncio
import os
import socket
from concurrent.futures import Executor
from typing import Any, Protocol

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from playdock.sending.transfer import State, Stint, Transfer

EXTENSION = "playdock.outlet"
_MOST_A_STINT = 256 * 1024 * 1024


class Pace(Protocol):
    """How fast a transfer may go."""

    async def allowance(self, wanted: int) -> int:
        """Wait until something may be sent, and give how many bytes."""
        ...

    def spent(self, allowed: int, sent: int) -> None:
        """Tell how much of what was allowed was sent."""
        ...


class ReaderGone(Exception):
    """Whoever asked has left before all was sent."""


class Outlet:
    """The way out of one connection for bodies that are sent by the system."""

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Future[None] | None = None

    async def send(self, transfer: Transfer, *, length: int, threads: Executor, pace: Pace) -> int:
        """Send a body of so many bytes after the header, and give how many were sent.

        The transfer is closed afterwards, whatever happens.

        Raises:
            ReaderGone: the connection ended before.
            ContentGone, PlaceAway, OSError: as the transfer does; the connection was cut.
        """
        own = self._second_descriptor()
        sent = 0
        try:
            await self._cycle.flow.drain()
            while sent < length:
                sent += await self._stint(transfer, own, left=length - sent, threads=threads, pace=pace)
        except (BrokenPipeError, ConnectionResetError):
            raise ReaderGone from None
        finally:
            transfer.close()
            os.close(own)
            self._cycle.expected_content_length -= sent
            if sent < length:
                self.cut()
        return sent

    @property
    def gone(self) -> bool:
        """Whether the reader has left."""
        return self._cycle.disconnected

    async def drained(self) -> None:
        """Wait until the connection has taken what was written to it."""
        await self._cycle.flow.drain()

    def wake(self) -> None:
        """Go on with what waits for the reader, who takes more, or has gone."""
        if self._waiting and not self._waiting.done():
            self._waiting.set_result(None)

    def _second_descriptor(self) -> int:
        """Give a descriptor of our own, which does not block, as the first does not."""
        if self._cycle.disconnected:
            raise ReaderGone
        connection: socket.socket = self._cycle.transport.get_extra_info("socket")
        return os.dup(connection.fileno())

    async def _stint(self, transfer: Transfer, own: int, *, left: int, threads: Executor, pace: Pace) -> int:
        if self._cycle.disconnected:
            raise ReaderGone
        most = await pace.allowance(min(left, _MOST_A_STINT))
        before = transfer.sent
        try:
            stint = await self._in_thread(threads, transfer, own, most=most)
        finally:
            pace.spent(most, transfer.sent - before)
        if stint.state is State.FULL:
            await self._writable(own)
        return stint.sent

    async def _in_thread(self, threads: Executor, transfer: Transfer, own: int, *, most: int) -> Stint:
        """Take a stint, and do not leave before it has ended: until then the files are in use."""
        running = self._loop.run_in_executor(threads, lambda: transfer.stint(own, most=most))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait([running])
            raise

    async def _writable(self, own: int) -> None:
        self._waiting = self._loop.create_future()
        self._loop.add_writer(own, self.wake)
        try:
            await self._waiting
        finally:
            self._loop.remove_writer(own)
            self._waiting = None

    def cut(self) -> None:
        """End the connection: the reader must not take what was sent for the whole."""
        self._cycle.disconnected = True
        self._cycle.transport.abort()


class SendingProtocol(HttpToolsProtocol):
    """uvicorn's protocol with an `Outlet` for each request that asks for one."""

    _outlet: Outlet | None = None
    _answering: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # One for all requests of the connection: most of them never ask.
        self._extensions: Any = {EXTENSION: {"protocol": self}}
        # A transport that holds nothing back tells when a second descriptor may write: when it is not paused.
        transport.set_write_buffer_limits(high=0)
        _notice_dead_peers(transport.get_extra_info("socket"))

    def open_outlet(self) -> Outlet:
        """Make the outlet of the request that is being answered."""
        assert self._answering is not None
        self._outlet = Outlet(self._answering)
        return self._outlet

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request; in the middle of an answer there is nothing left to say."""
        answering = self._answering
        if answering and answering.response_started and not answering.response_complete:
            self.transport.abort()
        else:
            super().send_400_response(msg)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        # The server library tells the request that came last, which may still wait for the one that is answered.
        if self._answering and not self._answering.response_complete:
            self._answering.disconnected = True
        if self._outlet:
            self._outlet.wake()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        cycle.scope["extensions"] = self._extensions
        super()._start_asgi_task(cycle, app)


def _notice_dead_peers(connection: socket.socket) -> None:
    """Let the system ask peers that say nothing whether they are still there, and end the connection if they are not.

    One who only reads nothing for a while answers, and may go on.
    """
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, seconds in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4)):
        if hasattr(socket, option) and connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), seconds)
