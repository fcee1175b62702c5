"""Uploads of images: few bodies are in memory at once, and no user takes all slots."""

import asyncio
import socket
from contextlib import AsyncExitStack, ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest

from playdock.server.image_threads import ImageQueueFull, ImageThreads
from waiting import wait_until
from world import Caller, World

# As long as a request with an image, without the time for decoding one.
PADDED = b'{"displayName": "Someone"}' + b" " * 100_000


def test_each_user_has_few_slots_and_others_wait() -> None:
    async def run() -> None:
        images = ImageThreads(slots=3, slots_per_user=2, max_wait=0.05)
        async with AsyncExitStack() as held:
            for user in ("ada", "ada", "bob"):
                await held.enter_async_context(images.slot(user))
            for user in ("ada", "bob", "cleo"):
                with pytest.raises(ImageQueueFull):
                    await held.enter_async_context(images.slot(user))
        async with images.slot("ada"), images.slot("cleo"), images.slot("ada"):
            pass

    asyncio.run(run())


def test_a_user_who_waits_takes_no_slot_of_others() -> None:
    async def run() -> None:
        images = ImageThreads(slots=2, slots_per_user=1, max_wait=60)
        async with AsyncExitStack() as held:
            await held.enter_async_context(images.slot("ada"))
            waiting = [asyncio.ensure_future(held.enter_async_context(images.slot("ada"))) for _ in range(5)]
            await asyncio.sleep(0)
            await asyncio.wait_for(held.enter_async_context(images.slot("bob")), 30)
            for each in waiting:
                each.cancel()

    asyncio.run(run())


def begin_upload(world: World, user: Caller) -> socket.socket:
    """Send the header of a request with an image, and return the connection."""
    url = urlsplit(world.address)
    connection = socket.create_connection((url.hostname, url.port), timeout=60)
    lines = ["PATCH /api/v1/user HTTP/1.1", f"Host: {url.netloc}", f"Authorization: Bearer {user.token}"]
    connection.sendall("\r\n".join([*lines, f"Content-Length: {len(PADDED)}", "Connection: close", "", ""]).encode())
    return connection


def upload(user: Caller) -> Any:
    return user.request("PATCH", "/api/v1/user", content=PADDED)


def test_a_body_is_not_read_before_there_is_a_slot(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = world.person("ada"), world.person("bob")
    images = world.services.image_threads
    monkeypatch.setattr(images, "_max_wait", 0.05)
    free = images._slots.value
    with ExitStack() as begun:
        slow = [begun.enter_context(begin_upload(world, ada)) for _ in range(2)]
        wait_until(lambda: images._slots.value == free - 2)

        refused = upload(ada)
        assert (refused.status_code, refused.json()["type"]) == (503, "image-queue-full")
        assert refused.headers["Retry-After"] == "5"
        assert ada.patch("/api/v1/user", {"displayName": "Ada"}).status_code == 200
        assert upload(bob).status_code == 200

        for connection in slow:
            connection.sendall(PADDED)
            assert connection.recv(12) == b"HTTP/1.1 200"
    wait_until(lambda: images._slots.value == free)
    assert upload(ada).status_code == 200
