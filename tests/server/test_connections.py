"""How many connections there may be, and whose they are."""

import pytest
from structlog.testing import capture_logs

from playdock.kit.networks import parse_networks
from playdock.server.connections import ConnectionLimits, Connections, TimeLimits


class _Connection:
    """A connection that is never examined."""

    def enforce_time_limits(self, now: float, limits: TimeLimits) -> None:
        raise AssertionError


class _Connections(Connections):
    """Connections that are not examined, because there is no event loop."""

    def _examine_later(self) -> None:
        pass


@pytest.mark.parametrize(
    ("descriptors", "total", "per_network"),
    [(0, 4, 1), (128, 4, 1), (1024, 298, 74), (4096, 1322, 330), (65_536, 10_000, 2500), (2**63, 10_000, 2500)],
)
def test_the_limits_leave_descriptors_for_files(descriptors: int, total: int, per_network: int) -> None:
    assert ConnectionLimits.within(descriptors) == ConnectionLimits(total, per_network)


SAME = [
    ("192.0.2.1", "192.0.2.1"),
    ("192.0.2.1", "::ffff:192.0.2.1"),
    ("2001:db8::1", "2001:db8::2"),
    ("2001:db8:0:7::1", "2001:db8:0:7:ffff:ffff:ffff:ffff"),
    # Who has a /48 has 65,536 networks of the smaller kind.
    ("2001:db8::1", "2001:db8:0:1::1"),
    ("fe80::1%eth0", "fe80::2%eth1"),
]
DIFFERENT = [
    ("192.0.2.1", "192.0.2.2"),
    ("::ffff:192.0.2.1", "::ffff:192.0.2.2"),
    ("2001:db8::1", "2001:db8:1::1"),
    ("192.0.2.1", "2001:db8::1"),
    # Unix sockets have no address.
    (None, None),
    ("", ""),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_addresses_of_one_network_share_its_limit(one: str, other: str) -> None:
    connections = _Connections(ConnectionLimits(10, 1))
    assert connections.admit(_Connection(), one)
    assert not connections.admit(_Connection(), other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_addresses_of_different_networks_do_not(one: str | None, other: str | None) -> None:
    connections = _Connections(ConnectionLimits(10, 1))
    assert connections.admit(_Connection(), one)
    assert connections.admit(_Connection(), other)


@pytest.mark.parametrize(
    ("proxies", "address", "is_limited"),
    [
        ("", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.1", False),
        ("192.0.2.1", "::ffff:192.0.2.1", False),
        ("proxy.example.org, 192.0.2.0/24", "192.0.2.1", False),
        ("192.0.2.0/24", "198.51.100.1", True),
        ("2001:db8::/32", "2001:db8::1", False),
        ("*", "192.0.2.1", False),
        ("*", "2001:db8::1", False),
    ],
)
def test_only_the_total_applies_to_trusted_proxies(proxies: str, address: str, *, is_limited: bool) -> None:
    connections = _Connections(ConnectionLimits(3, 1), unlimited_networks=parse_networks(proxies))
    admitted = [connections.admit(_Connection(), address) for _ in range(4)]
    assert admitted == ([True, False, False, False] if is_limited else [True, True, True, False])


def test_a_closed_connection_makes_room_for_another() -> None:
    connections = _Connections(ConnectionLimits(2, 1))
    first, second = _Connection(), _Connection()
    assert connections.admit(first, "192.0.2.1")
    assert not connections.admit(second, "192.0.2.1")
    connections.remove(second)
    connections.remove(first)
    connections.remove(first)
    assert connections.admit(second, "192.0.2.1")


def test_a_connection_that_is_replaced_counts_until_the_other_is_closed() -> None:
    connections = _Connections(ConnectionLimits(2, 1))
    first, second = _Connection(), _Connection()
    assert connections.admit(first, "192.0.2.1")
    connections.replace(first, second)
    connections.remove(first)
    assert not connections.admit(_Connection(), "192.0.2.1")
    connections.remove(second)
    assert connections.admit(_Connection(), "192.0.2.1")


def test_rejected_connections_are_logged_once() -> None:
    connections = _Connections(ConnectionLimits(10, 1))
    with capture_logs() as lines:
        for _ in range(100):
            connections.admit(_Connection(), "192.0.2.1")
    assert [line["address"] for line in lines] == ["192.0.2.1"]
