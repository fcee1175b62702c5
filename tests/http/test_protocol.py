"""The outlet of a connection. Whole answers are tested over HTTP, with what is served."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from playdock.http.protocol import Outlet, ReaderGone
from playdock.sending.transfer import Transfer


class NoHurry:
    """A pace that lets everything through."""

    async def allowance(self, wanted: int) -> int:
        return wanted

    def spent(self, allowed: int, sent: int) -> None: ...


def test_a_reader_who_left_before_the_body_began_is_no_fault_of_the_storage() -> None:
    left: Any = SimpleNamespace(disconnected=True, expected_content_length=5)
    nothing: Any = None

    async def send() -> int:
        with ThreadPoolExecutor(1) as threads:
            return await Outlet(left).send(
                Transfer(iter([b"hello"]), nothing), length=5, threads=threads, pace=NoHurry()
            )

    with pytest.raises(ReaderGone):
        asyncio.run(send())
