"""The writer to a connection's socket. Complete responses are tested over HTTP, with the downloads."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from playdock.sending.limits import DownloadLimiter, Limits
from playdock.sending.transfer import ReaderGone, SocketWriter, Transfer
from playdock.server.protocol import CycleConnection


def test_a_connection_closed_before_the_body_is_not_a_storage_failure() -> None:
    closed: Any = SimpleNamespace(disconnected=True)
    nothing: Any = None

    async def send() -> None:
        permit = await DownloadLimiter(Limits()).admit("ada", Limits(), lambda _: None)
        with ThreadPoolExecutor(1) as threads:
            transfer = Transfer(iter([b"hello"]), nothing)
            await SocketWriter(CycleConnection(closed)).send(transfer, length=5, threads=threads, permit=permit)

    with pytest.raises(ReaderGone):
        asyncio.run(send())
