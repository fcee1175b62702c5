"""Which values of the ``Host`` header are valid. Libraries raise errors for others, wherever they use the URL."""

import re
from ipaddress import IPv6Address

# Names of at most 255 bytes, as in DNS, or an IPv6 address in brackets; the port may be empty (RFC 3986, section 3.2).
_HOST = re.compile(rb"(?:[A-Za-z0-9._~-]{1,255}|\[([0-9A-Fa-f:.]{2,45})\])(?::([0-9]{0,5}))?")
_MAX_PORT = 65_535


def is_valid_host(value: bytes) -> bool:
    """Return whether a value names a host and perhaps a port, or is empty, as for a URL without a host."""
    found = _HOST.fullmatch(value)
    if found is None:
        return not value
    address, port = found.groups()
    return int(port or 0) <= _MAX_PORT and (address is None or _is_ipv6(address.decode()))


def _is_ipv6(address: str) -> bool:
    try:
        IPv6Address(address)
    except ValueError:
        return False
    return True
