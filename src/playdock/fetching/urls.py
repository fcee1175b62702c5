"""The parser of URLs: that of the HTTP client, which also connects.

A second parser would sometimes find a different host in the same URL, and forged URLs exploit such differences.
"""

import httpx2

_STANDARD_PORTS = {"http": 80, "https": 443}
_MAX_PORT = 65_535


def origin_of(url: str) -> str:
    """Implement `requests.origin_of`."""
    try:
        parsed = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError):
        return ""
    host = parsed.raw_host.decode("ascii").lower()
    port = _STANDARD_PORTS.get(parsed.scheme, 0) if parsed.port is None else parsed.port
    if parsed.scheme not in _STANDARD_PORTS or not host or "%" in host or parsed.userinfo or not 0 < port <= _MAX_PORT:
        return ""
    return f"{parsed.scheme}://[{host}]:{port}" if ":" in host else f"{parsed.scheme}://{host}:{port}"
