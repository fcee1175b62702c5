"""Decides which requests to the agent are answered. Pure: no I/O.

Every program and every web page on this machine can send requests to a port of 127.0.0.1. A page of another origin is
recognized by the headers that browsers add, one that uses DNS rebinding by its Host header, and another user's program
by the missing cookie.
"""

import hmac
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple

# Browsers request it without cookies; it contains nothing secret.
WEB_MANIFEST = "/manifest.webmanifest"
# The header of requests that change something. Pages of other origins cannot send it without asking first.
WRITE_HEADER = "Playdock-Client"
OWN_PATH = "/_client/"
OPEN_PATH = f"{OWN_PATH}open"
_SAFE_METHODS = frozenset({"GET", "HEAD"})
METHODS = frozenset({*_SAFE_METHODS, "POST", "PUT", "PATCH", "DELETE"})
_OWN_SITES = frozenset({"same-origin", "none"})


class Refusal(NamedTuple):
    """Why a request is refused: the status and a sentence."""

    status: int
    sentence: str


class Endpoint(NamedTuple):
    """Where an agent listens: its port, and the secret of the cookie that its windows have."""

    port: int
    secret: str

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    @property
    def cookie_name(self) -> str:
        """The name of the cookie. Cookies are shared by all ports of a host, so the name contains the port."""
        return f"playdock_client_{self.port}"


def refusal(endpoint: Endpoint, method: str, path: str, headers: Mapping[str, str]) -> Refusal | None:
    """Return why a request is refused, or None. ``headers`` has names in lower case."""
    is_safe = method in _SAFE_METHODS
    if headers.get("host") != endpoint.host:
        return Refusal(421, "This address belongs to another program.")
    # It needs a key, and it is where another page of the app or a terminal leads to.
    is_opening = is_safe and path == OPEN_PATH
    if not is_opening and not _is_same_origin(endpoint, headers, must_be_named=not is_safe):
        return Refusal(403, "Only the app's own pages may use the app.")
    if is_opening or (is_safe and path == WEB_MANIFEST):
        return None
    if not _has_cookie(endpoint, headers.get("cookie", "")):
        return Refusal(401, "This window does not belong to the app. Open the app again.")
    if not is_safe and path.startswith(OWN_PATH) and WRITE_HEADER.lower() not in headers:
        return Refusal(403, f"A request that changes something needs the header {WRITE_HEADER}.")
    return None


def _is_same_origin(endpoint: Endpoint, headers: Mapping[str, str], *, must_be_named: bool) -> bool:
    origin = headers.get("origin", "" if must_be_named else endpoint.origin)
    return origin == endpoint.origin and headers.get("sec-fetch-site", "none") in _OWN_SITES


def cookie_header(endpoint: Endpoint) -> str:
    """Return the value of the Set-Cookie header that lets a window in until it is closed."""
    return f"{endpoint.cookie_name}={endpoint.secret}; Path=/; HttpOnly; SameSite=Strict"


def is_local_path(path: str) -> bool:
    """Return whether a redirect to this path stays at the same origin."""
    return path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and " " not in path


def _has_cookie(endpoint: Endpoint, header: str) -> bool:
    try:
        found = SimpleCookie(header).get(endpoint.cookie_name)
    except CookieError:
        return False
    return found is not None and hmac.compare_digest(found.value.encode(), endpoint.secret.encode())
