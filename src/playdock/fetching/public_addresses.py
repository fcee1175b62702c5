"""Addresses of servers that users name: whether they are in the internet, and not in a private network."""

import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv6Address, ip_network

from playdock.fetching.requests import origin_of
from playdock.kit.networks import parsed

# What is assigned to networks of the internet (RFC 4291, section 2.4). Others are of private networks, are not used any
# more, or contain an IPv4 address.
_GLOBAL_UNICAST = ip_network("2000::/3")
# IPv6 addresses that stand for IPv4 ones, which may be private: NAT64 (RFC 6052), 6to4 and Teredo.
_TRANSLATED = tuple(ip_network(each) for each in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32"))

Resolve = Callable[[str, int], Sequence[str]]


def resolve(host: str, port: int) -> Sequence[str]:
    """Return the IP addresses of a host.

    Raises:
        OSError, UnicodeError: it has none.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def is_private_host(host: str) -> bool:
    """Return whether a host is surely not in the internet, without asking for the addresses of its name."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    address = _numeric(name) or name
    return parsed(address) is not None and not is_public(address)


def _numeric(host: str) -> str | None:
    """Return the usual form of an IPv4 address such as 127.1 or 0x7f000001, which systems accept, too."""
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return None


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the internet, so that no device of a private network has it."""
    found = parsed(address)
    if found is None or not found.is_global or found.is_multicast:
        return False
    if isinstance(found, IPv6Address):
        return found in _GLOBAL_UNICAST and not any(found in network for network in _TRANSLATED)
    return True


def place_of(url: str) -> tuple[str, int]:
    """Return the host and the port of a URL; an empty host and 0 if it has none that can be used."""
    host, _, port = origin_of(url).partition("://")[2].rpartition(":")
    return host.strip("[]"), int(port or 0)
