"""A real nginx with the file from ``docs`` as a mirror, behind one that lies."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import httpx2
import pytest
from sqlalchemy import func, select

from client.installations import PATIENCE, Watching, tree
from client.lying_server import HostileServer, HostileVersion, lying_server
from nginx import running_mirror
from playdock.models import TransferDay
from playdock_client.connection import Server
from playdock_client.installing import FetchOptions, install
from playdock_client.progress import NoticeKind
from processes.service import free_port
from world import NO_TLS, Caller, World, running_world

_MB = 1_000_000


@dataclass
class Site:
    """A service with a game of which one version is imported, and two mirrors, of which the first one lies."""

    world: World
    mirror: str
    liar: HostileServer
    admin: Caller
    game: str
    files: dict[str, bytes]

    @property
    def size(self) -> int:
        return sum(map(len, self.files.values()))

    @property
    def version(self) -> str:
        found: str = self.admin.get(f"/api/v1/games/{self.game}/versions").json()[-1]["id"]
        return found

    def import_version(self, name: str) -> None:
        for path, data in self.files.items():
            self.world.put(f"Doom/{name}/{path}", data)
        task = self.world.import_version(self.admin, self.game, name, launch="doom")
        assert task["success"], task

    def player(self, name: str) -> Caller:
        return self.world.token_of(self.world.person(name), "user:content:read", "user:store:read", "user:read")

    def install(self, player: Caller, progress: Watching) -> None:
        folder = self.folder_of(player)
        folder.parent.mkdir(exist_ok=True)
        with Server(self.world.address, player.token, retry_seconds=PATIENCE) as server:
            game, version = server.game(self.game), server.versions(self.game)[-1]
            install(server, game, version, folder, options=FetchOptions(), progress=progress)

    def folder_of(self, player: Caller) -> Path:
        return self.world.folder / "installed" / player.token[-8:]

    def sent_by_origin(self) -> int:
        """The bytes of content that the service has sent."""
        self.world.services.transfer_recorder.write()
        with self.world.services.db.read() as session:
            return int(session.scalar(select(func.sum(TransferDay.bytes))) or 0)

    def ticket(self, player: Caller) -> tuple[str, str]:
        """The path of the version's content, and a ticket for it."""
        listed = player.get(f"/api/v1/versions/{self.version}/mirrors").json()
        assert (listed["mirrors"], listed["expiresIn"]) == ([self.liar.address, self.mirror], 600)
        return f"/api/v1/versions/{self.version}/content/{listed['etag']}", listed["ticket"]

    def by_mirror(self, ticket: str = "") -> Caller:
        client = httpx2.Client(base_url=self.mirror, timeout=PATIENCE, verify=NO_TLS)
        self.world.clients.append(client)
        return Caller(client, token=ticket)


@contextmanager
def running_site(program: str, folder: Path, database_url: str, *, size: int) -> Iterator[Site]:
    port = free_port()
    mirror = f"http://127.0.0.1:{port}"
    with (
        lying_server() as liar,
        running_world(folder, database_url=database_url, mirrors=f"{liar.address}, {mirror}") as world,
        running_mirror(program, folder / "nginx", port=port, origin=world.address.removeprefix("http://")),
    ):
        admin = world.admin()
        world.put("Doom/1.0/doom", b"")
        game = world.import_game(admin, world.library(admin), "Doom")
        files = {"doom": b"start", "data": os.urandom(size - 5)}
        site = Site(world, mirror, liar, admin, game, files)
        site.import_version("1.0")
        liar.serve(HostileVersion(site.version, {"zeros": bytes(size)}))
        yield site


@pytest.fixture
def world(embedded_world: World) -> World:
    """Bytes are the same whatever the database is."""
    return embedded_world


@pytest.mark.parametrize(
    ("clients", "size"), [(1, 9 * _MB), pytest.param(8, 200 * _MB, marks=pytest.mark.heavy, id="eight")]
)
def test_the_origin_sends_a_version_once(
    program: str, database_url: str, tmp_path: Path, clients: int, size: int
) -> None:
    with running_site(program, tmp_path, database_url, size=size) as site:
        watching = [Watching() for _ in range(clients)]
        players = [site.player(f"player{number}") for number in range(clients)]
        with ThreadPoolExecutor(clients) as threads:
            list(threads.map(site.install, players, watching))

        assert all(tree(site.folder_of(player)) == site.files for player in players)
        assert size <= site.sent_by_origin() <= 1.05 * size
        for each in watching:
            (dropped,) = [notice for notice in each.notices if notice.kind is NoticeKind.MIRROR_DROPPED]
            assert site.liar.address in dropped.message
        assert not any(player.token in credential for player in players for credential in site.liar.credentials)

        _check_that_tickets_are_useless_elsewhere(site, players[0])


def _check_that_tickets_are_useless_elsewhere(site: Site, player: Caller) -> None:
    before = site.sent_by_origin()
    path, ticket = site.ticket(player)
    first = {"headers": {"Range": "bytes=0-99"}}
    fetched = site.by_mirror(ticket).get(path, **first)
    assert (fetched.status_code, len(fetched.content)) == (206, 100)
    assert fetched.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert site.sent_by_origin() == before

    site.import_version("1.1")
    newer, other = site.ticket(player)
    origin, outside = site.world.with_token(ticket), site.by_mirror
    refused: list[tuple[Caller, str, int]] = [
        (outside(), path, 401),
        (outside(ticket[:-2] + ("B" if ticket[-2] == "A" else "A") + ticket[-1]), path, 401),
        (outside(player.token + "x"), path, 401),
        (outside(other), path, 401),
        (outside(ticket), newer, 401),
        (outside(ticket), f"/api/v1/versions/{site.version}/manifest", 404),
        (outside(ticket), "/", 404),
        (origin, newer, 401),
        (origin, path.rpartition("/")[0], 401),
        (origin, f"{path.rpartition('/content')[0]}/mirrors", 401),
    ]
    for caller, address, status in refused:
        assert caller.get(address, **first).status_code == status, address
    assert outside(ticket).post(path).status_code == 403

    # The mirror has not asked about this ticket before.
    late = site.ticket(player)[1]
    site.world.clock.advance(minutes=11)
    assert outside(late).get(newer, **first).status_code == 401


class _Origin(BaseHTTPRequestHandler):
    """Accepts every ticket, sends zeros, and records the headers of requests."""

    protocol_version = "HTTP/1.1"
    received: ClassVar[list[tuple[str, Message]]] = []

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(200, b"")

    def do_GET(self) -> None:
        self._answer(206, bytes(1000))

    def _answer(self, status: int, body: bytes) -> None:
        self.received.append((self.command, self.headers))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if body:
            self.send_header("Content-Range", f"bytes 0-{len(body) - 1}/{len(body)}")
        self.end_headers()
        self.wfile.write(body)


def test_the_origin_is_asked_once_about_a_ticket_and_gets_only_what_it_needs(program: str, tmp_path: Path) -> None:
    _Origin.received.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Origin) as http:
        threading.Thread(target=http.serve_forever, args=[0.02]).start()
        origin, port = f"127.0.0.1:{http.server_address[1]}", free_port()
        headers = {"Authorization": "Bearer a-ticket", "Cookie": "playdock_session=secret", "Range": "bytes=0-9"}
        path = "/games/api/v1/versions/3f1f0c52/content/6caa.image"
        with (
            running_mirror(program, tmp_path / "nginx", port=port, origin=origin) as mirror,
            httpx2.Client(base_url=mirror, verify=NO_TLS, headers=headers) as client,
        ):
            assert [client.get(path).content for _ in range(2)] == [bytes(10)] * 2
        http.shutdown()
    assert [method for method, _ in _Origin.received] == ["HEAD", "GET"]
    for _, received in _Origin.received:
        assert (received["Host"], received["Authorization"]) == (origin, "Bearer a-ticket")
        assert (received["Cookie"], received["Connection"]) == (None, None)
