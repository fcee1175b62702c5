"""Links to large files of a version in S3, from which the client downloads without a detour through the server."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playdock_client.connection import Server
from playdock_client.errors import ClientError, ServerUnavailable
from playdock_client.mirror import Mirror
from playdock_client.responses import FileLink
from playdock_client.transport import Transport, is_unencrypted

# A link is not used in the last minute before it expires, so that it is still valid when a request arrives.
_MARGIN_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _Page:
    """All links to files with bytes from `start` to `end` of an image, usable until a time."""

    start: int
    end: int
    links: tuple[FileLink, ...]
    until: float


@dataclass(slots=True)
class FileLinks:
    """The links of one operation, requested as they are needed. Used by one thread at a time."""

    server: Server
    transports: dict[str, Transport] = field(default_factory=dict)
    _dropped: set[Transport] = field(default_factory=set)
    _pages: dict[str, list[_Page]] = field(default_factory=dict)

    def find(self, version_id: str, start: int, end: int) -> Mirror | None:
        """Return the file that contains the bytes `start` to `end` of an image, if there is a link to it."""
        page = self._page(version_id, start)
        found = (link for link in page.links if link.start <= start and end <= link.start + link.size)
        return next(self._opened(found), None)

    def drop(self, transport: Transport) -> bool:
        """Do not use a server again, and return whether it was used until now."""
        if transport in self._dropped or transport not in self.transports.values():
            return False
        self._dropped.add(transport)
        return True

    def _page(self, version_id: str, start: int) -> _Page:
        pages, now = self._pages.setdefault(version_id, []), time.monotonic()
        for page in pages:
            if page.start <= start < page.end and now < page.until:
                return page
        pages.append(self._request(version_id, start, now))
        return pages[-1]

    def _request(self, version_id: str, start: int, now: float) -> _Page:
        try:
            found = self.server.file_links(version_id, start=start)
        except ClientError:
            # The server itself sends everything.
            return _Page(start, start, (), now)
        return _Page(start, found.until, found.links, now + found.expires_in - _MARGIN_SECONDS)

    def _opened(self, links: Iterator[FileLink]) -> Iterator[Mirror]:
        for link in links:
            try:
                parts = urlsplit(link.url)
            except ValueError:
                continue
            transport = self._transport(f"{parts.scheme}://{parts.netloc}")
            if transport is not None and transport not in self._dropped:
                yield Mirror(transport, f"{parts.path}?{parts.query}", begin=link.start)

    def _transport(self, address: str) -> Transport | None:
        if address not in self.transports:
            try:
                transport = Transport(address, None)
            except ServerUnavailable:
                # The address is invalid.
                return None
            if not self.server.allow_http and is_unencrypted(transport.address):
                return None
            self.transports[address] = transport
        return self.transports[address]
