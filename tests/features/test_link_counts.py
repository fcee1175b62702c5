"""Signed links for a number of downloads: what is sent counts, and nothing else does."""

import asyncio
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from random import Random

import httpx2
import pytest

from playdock.auth.actor import Actor, Credential, CredentialKind, UserInfo
from playdock.auth.permissions import USER_PERMISSIONS
from playdock.features.downloads.service import Transfers
from playdock.features.links.service import LinkQuota
from playdock.sending.limits import DownloadLimiter, Limits
from playdock.settings import Settings
from waiting import wait_until
from world import Caller, World, at_once

pytestmark = pytest.mark.both_databases

MIB = 1024 * 1024
SIZE = 24 * MIB


@dataclass
class Lent:
    """A link to a large file, for one download."""

    world: World
    admin: Caller
    ada: Caller
    game: str
    url: str

    def fetch(self, asked: str = "", method: str = "GET") -> httpx2.Response:
        headers = {"Range": f"bytes={asked}"} if asked else {}
        return self.world.any_user().request(method, self.url, headers=headers)

    def status(self, asked: str = "") -> int:
        return self.fetch(asked).status_code

    @property
    def left(self) -> int:
        found: int = self.ada.get("/api/v1/user/link").json()[0]["bytesLeft"]
        return found


@pytest.fixture
def lent(world: World) -> Lent:
    return lend(world, Random(3).randbytes(MIB) * (SIZE // MIB))


def lend(world: World, content: bytes) -> Lent:
    admin = world.admin("keeper")
    world.put("Doom/1.0/doom", content)
    game = world.import_game(admin, world.library(admin), "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
    ada = world.person("ada")
    made = ada.post(f"/api/v1/versions/{version}/links", {"kind": "content", "downloads": 1})
    return Lent(world, admin, ada, game, made.json()["url"])


def test_a_link_for_one_download_allows_one(lent: Lent) -> None:
    assert len(lent.fetch().content) == SIZE
    refused = lent.fetch()
    assert (refused.status_code, refused.json()["type"]) == (404, "link-used-up")


def test_ranges_count_by_their_size(lent: Lent) -> None:
    assert lent.status(f"0-{SIZE - 100_001}") == 206
    assert lent.status("0-200000") == 404
    assert lent.status("-100000") == 206
    assert (lent.status("0-0"), lent.left) == (404, 0)


def test_several_ranges_count_without_their_headers(lent: Lent) -> None:
    assert lent.status(f"0-9,10-{SIZE - 1}") == 206
    assert (lent.status("0-0"), lent.left) == (404, 0)


def test_compressed_content_counts_as_the_content(world: World) -> None:
    lent = lend(world, bytes(SIZE))
    answers = [world.any_user().get(f"{lent.url}&frames=zstd") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 404, 404]
    assert len(answers[0].content) < MIB
    assert lent.left == 0


def test_a_part_of_compressed_content_counts_as_the_content(world: World) -> None:
    lent = lend(world, bytes(SIZE))
    manifest = world.manifest(lent.admin, lent.game, "1.0")
    end = sum(length for length, _ in manifest["files"][0]["chunks"][:3])
    assert lent.world.any_user().get(f"{lent.url}&frames=zstd&end={end}").status_code == 200
    wait_until(lambda: lent.left == SIZE - end)
    assert sent_today(lent) == end


def sent_today(lent: Lent) -> int:
    wait_until(lambda: lent.ada.get("/api/v1/user/limits").json()["running"] == 0)
    lent.world.services.transfer_recorder.write()
    sent: int = lent.admin.get("/api/v1/admin/statistics").json()["days"][-1]["bytes"]
    return sent


def test_responses_without_a_body_cost_nothing(lent: Lent) -> None:
    assert lent.fetch(method="HEAD").status_code == 200
    assert lent.status(f"{SIZE}-") == 416
    assert lent.left == SIZE


def test_concurrent_downloads_do_not_exceed_the_links_limit(lent: Lent) -> None:
    assert sorted(at_once([lent.status] * 4)) == [200, 404, 404, 404]


def test_the_quota_of_a_failed_download_is_refunded(lent: Lent) -> None:
    (lent.world.games / "Doom/1.0/doom").write_bytes(b"another")
    assert lent.status() == 409
    wait_until(lambda: lent.left == SIZE)


def test_an_aborted_download_costs_what_was_sent(lent: Lent) -> None:
    host, port = lent.world.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=120) as reader:
        reader.sendall(f"GET {lent.url.removeprefix(lent.world.address)} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert reader.recv(12) == b"HTTP/1.1 200"
        assert lent.left == 0
    wait_until(lambda: lent.left)
    assert 0 < lent.left < SIZE
    assert lent.status(f"0-{lent.left - 1}") == 206


@dataclass
class SlowLinks:
    """A link of 100 bytes, in a database that answers when it may."""

    left: int = 100
    may: threading.Event = field(default_factory=threading.Event)
    asked: threading.Event = field(default_factory=threading.Event)

    def spend(self, _: str, length: int) -> bool:
        self.asked.set()
        assert self.may.wait(120)
        enough = self.left >= length
        self.left -= length if enough else 0
        return enough

    def release(self, _: str, length: int) -> None:
        self.left += length


class NoTransferRecorder:
    """A recorder that keeps nothing."""

    def add(self, user_id: str, version_id: str, sent: int) -> None:
        pass


ONE = Credential(CredentialKind.LINK, "link", None, "/", counted=True)
ANY = Credential(CredentialKind.LINK, "link", None, "/")


@pytest.mark.parametrize(("link", "while_sent", "after"), [(ONE, 40, 80), (ANY, 100, 100)])
def test_a_quota_is_recorded_only_for_links_with_a_limit(link: Credential, while_sent: int, after: int) -> None:
    links = SlowLinks()
    links.may.set()
    quota = LinkQuota(links)  # type: ignore[arg-type]
    ada = UserInfo("1", "ada", "Ada", "", "", admin=False, enabled=True)

    limiter = DownloadLimiter(Limits())
    transfers = Transfers(Settings(), limiter, quota, NoTransferRecorder())  # type: ignore[arg-type]
    permit = asyncio.run(transfers.admit(Actor(ada, USER_PERMISSIONS, link), "version", 60))
    left = links.left
    permit.record(20, 20)
    permit.release()
    quota.close()

    assert (left, links.left) == (while_sent, after)


@pytest.mark.parametrize("length", [60, 600])
def test_a_request_cancelled_while_spending_is_refunded(length: int) -> None:
    links = SlowLinks()
    quota = LinkQuota(links)  # type: ignore[arg-type]

    async def cancel() -> None:
        paying = asyncio.ensure_future(quota.spend("link", length))
        await asyncio.to_thread(partial(links.asked.wait, 30))
        paying.cancel()
        with suppress(asyncio.CancelledError):
            await paying
        links.may.set()

    asyncio.run(cancel())
    quota.close()
    assert links.left == 100


def test_refunds_are_written_before_the_server_stops() -> None:
    links = SlowLinks(left=0)
    links.may.set()
    quota = LinkQuota(links)  # type: ignore[arg-type]
    for _ in range(50):
        quota.release("link", 2)
    quota.close()
    assert links.left == 100
