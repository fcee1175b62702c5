"""What can be used as the URL of a service."""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

# Without percent-encoding, empty segments, "." and "..", the path is the same for all browsers and proxies.
_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")


def is_origin(address: str) -> bool:
    """Return whether a URL is http:// or https:// with a host and nothing after it."""
    try:
        parts = urlsplit(address)
        named = address.startswith(("http://", "https://")) and parts.hostname and parts.port != 0
    except ValueError:
        return False
    return bool(named) and not (parts.path or parts.query or parts.fragment)


def is_base_url(address: str) -> bool:
    """Return whether a URL is an origin, with or without a path of plain segments below which a service may be."""
    origin = origin_part(address)
    return is_origin(origin) and _PATH.fullmatch(address.removeprefix(origin)) is not None


def origin_part(address: str) -> str:
    """Return the scheme, host and port of a URL."""
    return "/".join(address.split("/")[:3])


def is_web_url(address: str) -> bool:
    """Return whether a URL begins with http:// or https:// and has a host."""
    try:
        parts = urlsplit(address)
        return bool(parts.scheme in ("http", "https") and parts.hostname and parts.port != 0)
    except ValueError:
        return False


def is_redirectable(address: str) -> bool:
    """Return whether a URL can be sent to browsers unchanged: it has no user, spaces or control characters."""
    origin = origin_part(address)
    return is_origin(origin) and "@" not in origin and all("!" <= character <= "~" for character in address)


def is_local(address: str) -> bool:
    """Return whether only the machine that serves a URL can open it."""
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
