"""A proxy on loopback between a service and another server, whose connections break as a test wants."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_PATIENCE = 120.0
_BLOCK_BYTES = 65_536


@dataclass
class FaultyProxy:
    """What happens to connections: some are cut or stalled after a number of bytes in one direction.

    ``connections`` is how many have been accepted.
    """

    target: str
    address: str = ""
    connections: int = 0
    faults_left: int = 0
    _after: int = 0
    _seconds: float = 0.0
    _uploads: bool = False
    _status: int = 0
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)

    def cut_after(self, size: int, *, times: int) -> None:
        """Cut connections that have received this many bytes."""
        self._after, self._seconds, self._uploads, self.faults_left = size, 0.0, False, times

    def cut_uploads_after(self, size: int, *, times: int) -> None:
        """Cut connections that have sent this many bytes."""
        self._after, self._seconds, self._uploads, self.faults_left = size, 0.0, True, times

    def stall_after(self, size: int, *, seconds: float, times: int) -> None:
        """Let connections that have received this many bytes wait before they receive more."""
        self._after, self._seconds, self._uploads, self.faults_left = size, seconds, False, times

    def answer_with(self, status: int) -> None:
        """Answer all requests with an error, without the server; open connections end."""
        self._status = status

    def heal(self) -> None:
        self.faults_left = self._status = 0

    async def run(self, started: threading.Event) -> None:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        started.set()
        async with server:
            await self._stopped.wait()

    def stop(self) -> None:
        self._stopped.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            if self._status:
                await reader.readuntil(b"\r\n\r\n")
                answer = f"HTTP/1.1 {self._status} Faulty\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                writer.write(answer.encode())
                await writer.drain()
            else:
                parts = urlsplit(self.target)
                inside, outside = await asyncio.open_connection(parts.hostname, parts.port)
                await asyncio.gather(
                    self._pipe(reader, outside, uploads=True), self._pipe(inside, writer, uploads=False)
                )
        writer.transport.abort()

    async def _pipe(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, uploads: bool) -> None:
        passed = 0
        try:
            while (block := await reader.read(_BLOCK_BYTES)) and not self._status:
                passed += len(block)
                if uploads is self._uploads and passed > self._after and self.faults_left > 0:
                    self.faults_left -= 1
                    if not self._seconds:
                        return
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._stopped.wait(), self._seconds)
                    passed = 0
                writer.write(block)
                await writer.drain()
        finally:
            writer.transport.abort() if self._seconds == 0 else writer.close()


@contextmanager
def running_proxy(target: str) -> Iterator[FaultyProxy]:
    """Run a proxy in front of a server at a URL."""
    proxy, started, loop = FaultyProxy(target), threading.Event(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_until_complete, args=[proxy.run(started)], name="faulty-proxy")
    thread.start()
    assert started.wait(_PATIENCE), "The proxy did not start."
    try:
        yield proxy
    finally:
        loop.call_soon_threadsafe(proxy.stop)
        thread.join(_PATIENCE)
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0.1))
        loop.close()
