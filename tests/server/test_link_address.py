"""Addresses of this machine in its network."""

import socket
from pathlib import Path

import pytest

from playdock.cli.listening import default_address, network_hint
from playdock.server import link_address
from playdock.server.link_address import is_in_private_network, network_urls, private_addresses


@pytest.mark.parametrize(
    ("host", "offered"),
    [
        ("192.168.1.20", True),
        ("10.0.0.4", True),
        ("172.20.0.4", True),
        ("127.0.0.1", False),
        ("169.254.3.4", False),
        ("0.0.0.0", False),
        ("8.8.8.8", False),
    ],
)
def test_only_addresses_of_private_networks_are_offered(host: str, *, offered: bool) -> None:
    assert is_in_private_network(host) is offered


def test_a_route_reveals_the_address_that_it_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_address, "DESTINATIONS", ("127.0.0.1", "127.0.0.3"))
    monkeypatch.setattr(link_address, "is_in_private_network", lambda _: True)

    assert private_addresses() == ["127.0.0.1"]


def test_an_address_is_offered_only_while_the_port_accepts_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_address, "private_addresses", lambda: ["127.0.0.1"])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        assert network_urls(f"http://localhost:{port}/games") == [f"http://127.0.0.1:{port}/games"]
    assert network_urls(f"http://localhost:{port}") == []


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://localhost:3000"),
        ("::1", "http://localhost:3000"),
        ("0.0.0.0", "http://localhost:3000"),
        ("::", "http://localhost:3000"),
        ("nas", "http://nas:3000"),
        ("fd00::1", "http://[fd00::1]:3000"),
    ],
)
def test_the_address_follows_from_the_host(host: str, address: str) -> None:
    assert default_address(host, 3000) == address


def test_the_start_says_who_can_reach_the_service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("playdock.cli.listening.private_addresses", lambda: ["nas"])
    monkeypatch.setattr("playdock.cli.listening._CONTAINER_MARKS", (mark := tmp_path / "mark",))

    (closed,) = network_hint("127.0.0.1", "http://localhost:3000")

    assert "--host 0.0.0.0" in closed
    assert network_hint("0.0.0.0", "http://localhost:3000") == ["In your network, it is at http://nas:3000"]
    assert network_hint("nas", "http://nas:3000") == []

    mark.touch()
    (contained,) = network_hint("0.0.0.0", "http://localhost:3000")
    assert "set EXTERNAL_URL" in contained
    assert network_hint("127.0.0.1", "http://localhost:3000") == [closed]
