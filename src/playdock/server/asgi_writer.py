"""Sending bodies of files as plain ASGI messages: slower than a `SocketWriter`, with the same result.

This is used by servers without `ZeroCopyProtocol`, such as a version of uvicorn with which it is not compatible.
"""

import asyncio
from concurrent.futures import Executor

from litestar.types import Receive, Send

from playdock.sending.files import read_blocks
from playdock.sending.limits import TransferPermit
from playdock.sending.transfer import ReaderGone, Transfer
from playdock.server.disconnection import disconnected


class AsgiWriter:
    """Sends bodies of responses through the server."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._disconnect = self._loop.create_task(disconnected(receive))

    async def send(self, transfer: Transfer, *, length: int, threads: Executor, permit: TransferPermit) -> None:
        """Send a body of ``length`` bytes after the header.

        Raises:
            ReaderGone: the connection was closed before the end.
            ContentMismatch, LocationUnavailable, OSError: raised by the transfer's opener.
        """
        blocks = read_blocks(transfer.pieces, transfer.opener)
        while length:
            block = memoryview(await self._loop.run_in_executor(threads, next, blocks))
            length -= len(block)
            while block:
                allowed = await permit.wait_for_bandwidth(len(block))
                if self.gone:
                    permit.record(allowed, 0)
                    raise ReaderGone
                await self._send({"type": "http.response.body", "body": bytes(block[:allowed]), "more_body": True})
                permit.record(allowed, allowed)
                block = block[allowed:]

    @property
    def gone(self) -> bool:
        """Whether the client has closed the connection."""
        return self._disconnect.done()

    async def drained(self) -> None:
        """Return immediately: ASGI does not report when the sent bytes have been passed to the socket."""

    def abort(self) -> None:
        """Do nothing: the server closes the connection of a response that ends without its last message."""

    def close(self) -> None:
        """Stop waiting for the client to disconnect."""
        self._disconnect.cancel()
