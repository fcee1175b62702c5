"""HTTP requests, their limits and their responses."""

from collections.abc import Mapping
from time import monotonic
from typing import Self

from msgspec import Struct, field


class Deadline(Struct, frozen=True):
    """A time, in seconds of the monotonic clock, by which an operation must end."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        return cls(monotonic() + seconds)

    @property
    def left(self) -> float:
        """The seconds that are left, 0 after the deadline."""
        return max(0.0, self.at - monotonic())


class Request(Struct, frozen=True):
    """An HTTP request. ``address`` is the IP address to connect to, by default those of the URL's host."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    address: str = ""


class FetchLimits(Struct, frozen=True):
    """The limits of a request.

    ``origins`` are those that it may reach, as returned by `origin_of`; ``seconds`` is its total time; ``max_bytes`` is
    the size of the decompressed response, whose body is not read at all if it is 0. With ``follow``, GET requests
    follow redirects within the origins.

    The IP addresses of the origins are not checked. Origins come from the settings, so the administrator has chosen
    each of them, and a mirror or proxy on a private address is legitimate. The remaining risk is a provider whose own
    name server returns private addresses. Origins use https unless the settings say otherwise, so a server at such an
    address would need the provider's certificate.
    """

    origins: frozenset[str]
    seconds: float
    max_bytes: int
    follow: bool = True

    def allows(self, url: str) -> bool:
        """Return whether a URL is on an allowed origin."""
        origin = origin_of(url)
        return bool(origin) and origin in self.origins


class FetchResponse(Struct, frozen=True):
    """A complete response; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def origin_of(url: str) -> str:
    """Return the scheme, host and port of an http or https URL (RFC 6454), empty for anything else.

    The result is also empty for a URL with a user name, because such URLs mainly serve to disguise their host.
    """
    from playdock.fetching import urls

    return urls.origin_of(url)
