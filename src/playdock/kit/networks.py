"""Networks of clients: the addresses that probably belong to the same person or site."""

import ipaddress
from functools import lru_cache

# The smallest network that a customer of a provider gets, and the largest that one usually gets (RFC 6177).
_IPV6_PREFIXES = (64, 48)


# The same clients connect again and again.
@lru_cache(maxsize=4096)
def networks_of(address: str) -> tuple[str, ...]:
    """Return the networks of an address, the smallest first.

    These are the address itself for IPv4, and a /64 and a /48 for IPv6. What is not an IP address is returned as it is.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return (address,)
    if isinstance(parsed, ipaddress.IPv4Address):
        return (str(parsed),)
    if parsed.ipv4_mapped:
        return (str(parsed.ipv4_mapped),)
    return tuple(str(ipaddress.ip_network((parsed, prefix), strict=False)) for prefix in _IPV6_PREFIXES)
