"""The networks that an address belongs to."""

import pytest

from playdock.kit.networks import networks_of


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
