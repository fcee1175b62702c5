"""Networks of clients: the addresses that probably belong to the same person or site, and those of proxies."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

Network: TypeAlias = IPv4Network | IPv6Network

# Stands for all addresses.
ALL = "*"
# The smallest network that a customer of a provider gets, and the largest that one usually gets (RFC 6177).
_IPV6_PREFIXES = (64, 48)
# IPv4 addresses within those of IPv6 (RFC 4291, section 2.5.5.2): ::ffff:0:0/96.
_MAPPED, _MAPPED_BITS = "::ffff:", 96
# Names in private networks may have underscores.
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def parsed(address: str) -> IPv4Address | IPv6Address | None:
    """Return the address of a client, None if it is not an IP address.

    A socket for IPv6 and IPv4 shows IPv4 addresses in another form, and link-local addresses with an interface.
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return (found.ipv4_mapped if isinstance(found, IPv6Address) else None) or found


def is_host(text: str) -> bool:
    """Return whether a text is an IP address or may be the name of a host, which need not exist."""
    if parsed(text):
        return True
    try:
        # As it is encoded to be resolved.
        return _NAME.fullmatch(text.encode("idna").decode()) is not None
    except UnicodeError:
        return False


# The same clients connect again and again.
@lru_cache(maxsize=4096)
def networks_of(address: str) -> tuple[str, ...]:
    """Return the networks of an address, the smallest first.

    These are the address itself for IPv4, and a /64 and a /48 for IPv6. What is not an IP address is returned as it is.
    """
    found = parsed(address)
    if isinstance(found, IPv6Address):
        return tuple(str(ip_network((found, prefix), strict=False)) for prefix in _IPV6_PREFIXES)
    return (address if found is None else str(found),)


def is_in(address: str, networks: Iterable[Network]) -> bool:
    """Return whether an address of a client belongs to one of the networks."""
    found = parsed(address)
    return found is not None and any(found in network for network in networks)


def entries_of(names: str) -> list[str]:
    """Return the entries of a comma-separated list of addresses and networks, none if the list is empty."""
    return [name.strip() for name in names.split(",")] if names.strip() else []


def parse_network(name: str) -> Network | None:
    """Return the network that an entry names, or the address as a network; None if it names neither."""
    try:
        return ip_network(name)
    except ValueError:
        return None


def parse_networks(names: str) -> tuple[Network, ...]:
    """Return the networks in a comma-separated list. Entries that are no networks, such as host names, are ignored."""
    entries = ["0.0.0.0/0", "::/0"] if entries_of(names) == [ALL] else entries_of(names)
    return tuple(network for entry in entries if (network := parse_network(entry)))


def names_of(networks: Sequence[Network]) -> list[str]:
    """Return networks as text for programs that do not know the other form of IPv4 addresses: in both forms."""
    names = [str(network) for network in networks]
    mapped = [network for network in networks if isinstance(network, IPv4Network)]
    return names + [f"{_MAPPED}{each.network_address}/{_MAPPED_BITS + each.prefixlen}" for each in mapped]
