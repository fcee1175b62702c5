"""The networks that an address belongs to."""

import pytest
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from playdock.kit.networks import is_in, names_of, networks_of, parse_networks


@pytest.mark.parametrize(
    ("address", "networks"),
    [
        ("192.0.2.7", ("192.0.2.7",)),
        ("::ffff:192.0.2.7", ("192.0.2.7",)),
        ("2001:db8:1:2:3:4:5:6", ("2001:db8:1:2::/64", "2001:db8:1::/48")),
        ("2001:db8:1:2::", ("2001:db8:1:2::/64", "2001:db8:1::/48")),
        ("fe80::1%eth0", ("fe80::/64", "fe80::/48")),
        ("", ("",)),
        ("testclient", ("testclient",)),
    ],
)
def test_an_address_belongs_to_one_or_two_networks(address: str, networks: tuple[str, ...]) -> None:
    assert networks_of(address) == networks


async def _application(*_: object) -> None:
    """Do nothing."""


@pytest.mark.parametrize(
    ("names", "members", "others"),
    [
        ("", [], ["192.0.2.1", "::1", ""]),
        ("192.0.2.1", ["192.0.2.1", "::ffff:192.0.2.1"], ["192.0.2.2", "::ffff:192.0.2.2", "2001:db8::1"]),
        ("192.0.2.0/24, ::1", ["192.0.2.9", "::ffff:192.0.2.9", "::1"], ["198.51.100.1", "::2"]),
        ("2001:db8::/32", ["2001:db8::1"], ["2001:db9::1", "192.0.2.1"]),
        ("fe80::/10", ["fe80::1%eth0", "fe80::2"], ["192.0.2.1"]),
        ("*", ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1"], ["somewhere", ""]),
        # What is no network has no effect.
        ("proxy.example.org,10.0.0.1/8,,192.0.2.1", ["192.0.2.1"], ["proxy.example.org", "10.0.0.1", ""]),
    ],
)
def test_the_server_trusts_the_same_proxies(names: str, members: list[str], others: list[str]) -> None:
    networks = parse_networks(names)
    trusted = ProxyHeadersMiddleware(_application, names_of(networks)).trusted_hosts
    for address in (*members, *others):
        expected = address in members
        assert (is_in(address, networks), address in trusted) == (expected, expected), address
