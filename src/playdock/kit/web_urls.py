"""What can be used as the URL of a service."""

from urllib.parse import urlsplit


def is_origin(address: str) -> bool:
    """Return whether a URL is http:// or https:// with a host and nothing after it."""
    try:
        parts = urlsplit(address)
        named = address.startswith(("http://", "https://")) and parts.hostname and parts.port != 0
    except ValueError:
        return False
    return bool(named) and not (parts.path or parts.query or parts.fragment)


def is_web_url(address: str) -> bool:
    """Return whether a URL begins with http:// or https:// and has a host."""
    try:
        parts = urlsplit(address)
        return bool(parts.scheme in ("http", "https") and parts.hostname and parts.port != 0)
    except ValueError:
        return False


def is_redirectable(address: str) -> bool:
    """Return whether a URL can be sent to browsers unchanged: it has no user, spaces or control characters."""
    origin = "/".join(address.split("/")[:3])
    return is_origin(origin) and "@" not in origin and all("!" <= character <= "~" for character in address)
