"""Limits of downloads: how fast, how many at once, of whom, and who is told."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from waiting import wait_until
from world import Caller, World, at_once, running_world

MIB = 1024 * 1024
SMALL = 300_000
LARGE = 24 * MIB


@dataclass
class DownloadShop:
    """A game with a large file, that no socket takes at once, and a smaller one; and who fetches them."""

    world: World
    ada: Caller
    bob: Caller
    admin: Caller
    version: str
    stack: ExitStack = field(default_factory=ExitStack)

    def address(self, file: str = "large") -> str:
        return f"/api/v1/versions/{self.version}/files/{file}"

    def begin(self, caller: Caller) -> socket.socket:
        """A download of somebody who has read the header and nothing else so far."""
        host, port = self.world.address.removeprefix("http://").split(":")
        opened = self.stack.enter_context(socket.create_connection((host, int(port)), timeout=120))
        lines = [f"GET {self.address()} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {caller.token}"]
        opened.sendall("\r\n".join([*lines, "", ""]).encode())
        assert opened.recv(12) == b"HTTP/1.1 200"
        return opened

    def seconds(self, caller: Caller, size: int) -> float:
        """How long somebody takes to fetch so much of the large file."""
        begun = time.monotonic()
        fetched = caller.get(self.address(), headers={"Range": f"bytes=0-{size - 1}"})
        assert (fetched.status_code, len(fetched.content)) == (206, size)
        return time.monotonic() - begun

    def seconds_of_pieces(self, caller: Caller, size: int, number: int) -> float:
        return sum(self.seconds(caller, size) for _ in range(number))

    def limit(self, caller: Caller, **limits: int | None) -> None:
        changed = self.admin.patch(f"/api/v1/admin/users/{caller.user['id']}", limits)
        assert changed.status_code == 200, changed.text

    def running(self) -> int:
        told: int = limits_of(self.bob)["server"]["running"]
        return told


def limits_of(caller: Caller) -> dict[str, Any]:
    told: dict[str, Any] = caller.get("/api/v1/user/limits").json()
    return told


Open = Callable[..., Any]


@pytest.fixture
def shop(database_url: str, tmp_path: Path) -> Iterator[Open]:
    """Opens a shop with the settings of a test."""

    @contextmanager
    def opened(**wanted: Any) -> Iterator[DownloadShop]:
        with running_world(tmp_path, database_url=database_url, **wanted) as world:
            random = Random(4)
            world.put("Doom/1.0/large", random.randbytes(MIB) * (LARGE // MIB))
            world.put("Doom/1.0/small", random.randbytes(SMALL))
            admin = world.admin("keeper")
            game = world.import_game(admin, world.library(admin), "Doom")
            assert world.import_version(admin, game, "1.0", launch="small")["success"]
            version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
            with ExitStack() as stack:
                yield DownloadShop(world, world.person("ada"), world.person("bob"), admin, version, stack)

    with ExitStack() as shops:
        yield lambda **wanted: shops.enter_context(opened(**wanted))


# --- What is told ---


def test_every_user_can_read_the_limits(shop: Open) -> None:
    opened = shop(download_rate=9_000_000, downloads_at_once_per_user=5)
    server = {"downloadRate": 9_000_000, "downloadsAtOnce": 1000, "running": 0}
    assert limits_of(opened.ada) == {"downloadRate": None, "downloadsAtOnce": 5, "running": 0, "server": server}


def test_limits_of_a_user_can_be_set_and_removed(shop: Open) -> None:
    opened = shop(download_rate_per_user=1000)
    own = f"/api/v1/admin/users/{opened.ada.user['id']}/limits"
    opened.limit(opened.ada, downloadRate=7, downloadsAtOnce=0)
    assert opened.admin.get(own).json() == {"downloadRate": 7, "downloadsAtOnce": 0}
    assert (limits_of(opened.ada)["downloadRate"], limits_of(opened.ada)["downloadsAtOnce"]) == (7, None)
    opened.limit(opened.ada, downloadRate=None)
    assert opened.admin.get(own).json() == {"downloadRate": None, "downloadsAtOnce": 0}
    assert limits_of(opened.ada)["downloadRate"] == 1000


def test_limits_are_not_part_of_the_user(shop: Open) -> None:
    opened = shop()
    before = opened.ada.get("/api/v1/user").json()
    opened.limit(opened.ada, downloadRate=7)
    assert opened.ada.get("/api/v1/user").json() == before


@pytest.mark.parametrize("limits", [{"downloadRate": -1}, {"downloadsAtOnce": 1.5}, {"downloadRate": "fast"}])
def test_a_limit_must_be_a_non_negative_integer(shop: Open, limits: dict[str, Any]) -> None:
    opened = shop()
    refused = opened.admin.patch(f"/api/v1/admin/users/{opened.ada.user['id']}", limits)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, next(iter(limits)))


def test_users_cannot_set_their_own_limits(shop: Open) -> None:
    opened = shop()
    assert opened.ada.patch("/api/v1/user", {"downloadRate": 0}).status_code == 400
    assert opened.ada.patch(f"/api/v1/admin/users/{opened.ada.user['id']}", {"downloadRate": 0}).status_code == 403


def test_running_transfers_are_counted(shop: Open) -> None:
    opened = shop()
    with opened.begin(opened.ada), opened.begin(opened.ada):
        assert (limits_of(opened.ada)["running"], limits_of(opened.bob)["running"]) == (2, 0)
        assert opened.running() == 2
    wait_until(lambda: opened.running() == 0)


# --- At once ---


def test_downloads_above_the_limit_are_rejected_until_one_ends(shop: Open) -> None:
    opened = shop(downloads_at_once_per_user=2)
    opened.begin(opened.ada)
    with opened.begin(opened.ada):
        refused = opened.ada.get(opened.address("small"))
        assert (refused.status_code, refused.json()["type"]) == (429, "too-many-downloads")
        assert refused.headers["retry-after"] == "1"
    wait_until(lambda: limits_of(opened.ada)["running"] == 1)
    assert len(opened.ada.get(opened.address("small")).content) == SMALL


def test_the_downloads_of_one_user_do_not_count_for_others(shop: Open) -> None:
    opened = shop(downloads_at_once_per_user=1)
    with opened.begin(opened.ada):
        assert opened.bob.get(opened.address("small")).status_code == 200
        assert opened.ada.get(opened.address("small")).status_code == 429


def test_the_total_number_of_downloads_is_limited_too(shop: Open) -> None:
    opened = shop(downloads_at_once=1)
    with opened.begin(opened.ada):
        refused = opened.bob.get(opened.address("small"))
        assert (refused.status_code, refused.json()["type"]) == (429, "too-many-downloads")


def test_a_users_own_limit_applies_from_the_next_request(shop: Open) -> None:
    opened = shop(downloads_at_once_per_user=1)
    with opened.begin(opened.ada):
        opened.limit(opened.ada, downloadsAtOnce=2)
        assert opened.ada.get(opened.address("small")).status_code == 200


def test_responses_without_a_body_do_not_count_as_downloads(shop: Open) -> None:
    opened = shop(downloads_at_once_per_user=1)
    etag = opened.ada.get(opened.address("small")).headers["etag"]
    asked = [("HEAD", {}, 200), ("GET", {"If-None-Match": etag}, 304), ("GET", {"Range": "bytes=9999999-"}, 416)]
    with opened.begin(opened.ada):
        for method, headers, status in asked:
            assert opened.ada.request(method, opened.address("small"), headers=headers).status_code == status
        assert limits_of(opened.ada)["running"] == 1


def test_rejected_and_failed_requests_do_not_count_as_running(shop: Open) -> None:
    opened = shop(downloads_at_once_per_user=1)
    (opened.world.games / "Doom/1.0/small").write_bytes(b"another")
    for _ in range(3):
        assert opened.ada.get(opened.address("small")).status_code == 409
    assert opened.running() == 0


# --- Rates ---


@pytest.mark.parametrize("setting", ["download_rate", "download_rate_per_user"])
def test_a_rate_limit_is_enforced(shop: Open, setting: str) -> None:
    opened = shop(**{setting: 2_000_000})
    assert opened.seconds(opened.ada, 3_000_000) >= 1


def test_parallel_or_short_requests_do_not_bypass_the_rate_limit(shop: Open) -> None:
    opened = shop(download_rate_per_user=2_000_000)
    callers = [opened.world.with_token(opened.ada.token) for _ in range(4)]
    begun = time.monotonic()
    at_once([partial(opened.seconds_of_pieces, caller, 75_000, 10) for caller in callers])
    assert time.monotonic() - begun >= 1


def test_two_users_share_the_total_rate(shop: Open) -> None:
    opened = shop(download_rate=2_000_000)
    took = at_once([partial(opened.seconds, caller, 1_500_000) for caller in (opened.ada, opened.bob)])
    assert max(took) >= 1


def test_a_large_download_does_not_starve_others(shop: Open) -> None:
    opened = shop(download_rate=3_000_000)
    large = opened.world.with_token(opened.ada.token)
    with large.http.stream("GET", opened.address(), headers={"Authorization": f"Bearer {large.token}"}) as stream:
        pieces = stream.iter_bytes(100_000)
        next(pieces)
        assert opened.bob.get(opened.address("small")).status_code == 200
        assert limits_of(opened.ada)["running"] == 1


def test_a_users_own_rate_takes_precedence_over_the_default(shop: Open) -> None:
    opened = shop(download_rate_per_user=10)
    opened.limit(opened.ada, downloadRate=2_000_000)
    opened.limit(opened.bob, downloadRate=0)
    assert opened.seconds(opened.ada, 3_000_000) >= 1
    assert opened.seconds(opened.bob, LARGE) < LARGE / 2_000_000
