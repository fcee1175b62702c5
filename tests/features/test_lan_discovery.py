"""Apps find the service on the local network, and nobody can misuse the answers."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import structlog

from playdock.cli.listening import network_port
from playdock.features.lan_discovery.rules import QUERY_BYTES, ServerQuery, answer_to, read_query
from playdock.features.lan_discovery.service import LanDiscovery
from playdock.features.server_profile.service import ServerProfiles
from playdock.settings import Settings
from playdock_client.discovery import NearbyServer, query_datagram, search
from world import World

_NONCE = "0123456789abcdef" * 2
_QUERY = query_datagram(_NONCE)
_PATIENCE = 120.0
_SERVER: dict[str, Any] = {"server_id": "0123", "name": "Arcade", "url": "http://nas:3000", "path": "", "port": 3000}
# An answer to it would have another nonce.
_HOSTILE_QUERY = query_datagram("f" * 32)
_HOSTILE = [
    b"",
    b"\0" * QUERY_BYTES,
    _HOSTILE_QUERY[:-1],
    _HOSTILE_QUERY + b" ",
    _HOSTILE_QUERY * 20,
    b"[" * QUERY_BYTES,
    b'{"type":"playdock-query","nonce":' + b"[" * 479,
    b'{"type":"playdock-query","x":' + b'{"a":' * 96 + b" " * 3,
    b'{"type":"playdock-query"}'.ljust(QUERY_BYTES),
    query_datagram(_NONCE.upper()),
    query_datagram(f"{_NONCE}\n"),
    query_datagram("\ud83d".encode("utf-8", "surrogatepass").decode("latin-1")),
    b'{"type":"playdock-query","nonce":"\xff\xff"}'.ljust(QUERY_BYTES),
    _HOSTILE_QUERY.replace(b"playdock-query", b"playdock-quest"),
]


@contextmanager
def _answering(discovery: LanDiscovery) -> Iterator[None]:
    """Answer in a thread, as the service does in its event loop."""
    loop, started = asyncio.new_event_loop(), threading.Event()
    stop = asyncio.Event()

    async def run() -> None:
        async with discovery.answering():
            started.set()
            await stop.wait()

    def work() -> None:
        loop.run_until_complete(run())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert started.wait(_PATIENCE)
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(_PATIENCE)
        assert not thread.is_alive()


def _free_address() -> tuple[str, int]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        found: tuple[str, int] = probe.getsockname()
        return found


def _discovery(world: World, *, url: str = "http://localhost:3000", service_port: int | None = 3000) -> LanDiscovery:
    settings = Settings(external_url=url, data_dir=world.services.settings.data_dir)
    return LanDiscovery(world.services.server_profiles, settings, service_port, udp_address=_free_address())


def test_an_app_finds_the_service(world: World) -> None:
    admin = world.admin()
    assert admin.patch("/api/v1/admin/server", {"name": 'The "arcade" 🕹'}).status_code == 200
    port = int(world.address.rpartition(":")[2])
    discovery = _discovery(world, service_port=port)
    with _answering(discovery):
        found = next(search(discovery.udp_address, seconds=_PATIENCE))
    assert found == NearbyServer(world.address, 'The "arcade" 🕹')


def test_hostile_datagrams_get_no_answer_and_do_no_harm(world: World) -> None:
    discovery = _discovery(world, url="https://games.example.org")
    other = answer_to(ServerQuery(_NONCE), **_SERVER) or b""
    with _answering(discovery), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as attacker:
        attacker.settimeout(_PATIENCE)
        for data in [*_HOSTILE, other.ljust(QUERY_BYTES)]:
            attacker.sendto(data, discovery.udp_address)
            attacker.sendto(_QUERY, discovery.udp_address)
            answer, _ = attacker.recvfrom(65_536)
            assert len(answer) <= len(_QUERY)
            assert json.loads(answer) == {
                "type": "playdock-server",
                "nonce": _NONCE,
                "id": discovery._id,
                "name": "Playdock",
                "address": "https://games.example.org",
            }
        attacker.setblocking(False)
        with pytest.raises(BlockingIOError):
            attacker.recvfrom(65_536)


def test_a_port_in_use_is_reported_once_and_nothing_fails(world: World) -> None:
    discovery = _discovery(world)
    with _answering(discovery), structlog.testing.capture_logs() as logged:
        with _answering(discovery):
            assert next(search(discovery.udp_address, seconds=_PATIENCE)).address == "http://127.0.0.1:3000"
        # The other one still answers.
        assert next(search(discovery.udp_address, seconds=_PATIENCE)).address == "http://127.0.0.1:3000"
    assert [(each["event"], each["udp_port"]) for each in logged] == [
        ("not answering apps that search for servers", discovery.udp_address[1])
    ]


@pytest.mark.parametrize(("is_on", "service_port"), [(False, 3000), (True, None)])
def test_nothing_is_opened_unless_it_is_wanted_and_of_use(*, is_on: bool, service_port: int | None) -> None:
    address = _free_address()
    profiles: ServerProfiles = None  # type: ignore[assignment]
    discovery = LanDiscovery(profiles, Settings(lan_discovery=is_on), service_port, udp_address=address)
    with _answering(discovery), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(address)


@pytest.mark.parametrize(
    ("sender", "is_answered"),
    [
        ("192.168.1.20", True),
        ("10.1.2.3", True),
        ("172.31.0.9", True),
        ("169.254.7.7", True),
        ("127.0.0.1", True),
        ("172.32.0.1", False),
        ("100.64.0.1", False),
        ("203.0.113.9", False),
        ("8.8.8.8", False),
        ("240.0.0.1", False),
        ("0.0.0.0", False),
        ("255.255.255.255", False),
        ("", False),
    ],
)
def test_only_senders_of_private_networks_are_answered(sender: str, *, is_answered: bool) -> None:
    assert (read_query(_QUERY, sender) is not None) == is_answered


def test_an_answer_is_never_longer_than_the_query() -> None:
    query = ServerQuery(_NONCE)
    wordy = {**_SERVER, "name": "🕹" * 40, "url": f"https://{'games.' * 30}example.org"}
    longest = answer_to(query, **wordy)
    assert longest
    assert len(longest) <= QUERY_BYTES == len(_QUERY)
    assert answer_to(query, **{**wordy, "url": f"https://{'games.' * 60}example.org"}) is None


@pytest.mark.parametrize(
    ("url", "path", "said"),
    [
        ("http://localhost:3000", "", {"port": 3000}),
        ("http://127.0.0.1:3000/games", "/games", {"port": 3000, "path": "/games"}),
        ("https://games.example.org", "", {"address": "https://games.example.org"}),
        ("http://nas:3000", "", {"address": "http://nas:3000"}),
    ],
)
def test_an_address_is_sent_if_others_can_use_it(url: str, path: str, said: dict[str, object]) -> None:
    answer = answer_to(ServerQuery(_NONCE), **{**_SERVER, "url": url, "path": path})
    assert answer
    sent = json.loads(answer)
    assert {name: sent[name] for name in ("address", "port", "path") if name in sent} == said


@pytest.mark.parametrize(("host", "is_reachable"), [("127.0.0.1", False), ("127.0.0.2", False), ("0.0.0.0", True)])
def test_the_network_reaches_a_service_unless_it_listens_on_loopback(host: str, *, is_reachable: bool) -> None:
    # Bound, but it does not listen.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as bound:
        bound.bind((host, 0))
        assert network_port(bound) == (bound.getsockname()[1] if is_reachable else None)


def test_the_network_does_not_reach_a_unix_socket(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as bound:
        bound.bind(str(tmp_path / "s"))
        assert network_port(bound) is None
