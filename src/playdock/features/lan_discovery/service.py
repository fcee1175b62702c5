"""Answering queries for as long as the service runs."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from secrets import token_hex

import structlog
from anyio import CapacityLimiter, to_thread
from msgspec import Struct, field

from playdock.features.lan_discovery import rules
from playdock.features.server_profile.service import ServerProfiles
from playdock.kit.errors import PlaydockError
from playdock.settings import Settings

_log = structlog.get_logger()

# At most fifty datagrams per second are read, whatever they contain; the system drops what its buffer cannot hold.
_PAUSE_SECONDS = 0.02
# About fifty queries on Linux, which doubles it: those that wait for more than a second are of no use to the app.
_BUFFER_BYTES = 32_768


class LanDiscovery(Struct, frozen=True):
    """Answers queries. ``service_port`` is where the network reaches the service, None if it cannot."""

    profiles: ServerProfiles
    settings: Settings
    service_port: int | None
    # All addresses: one that is bound to a single one gets no broadcasts.
    udp_address: tuple[str, int] = ("", rules.PORT)
    _id: str = field(default_factory=lambda: token_hex(8))

    @asynccontextmanager
    async def answering(self) -> AsyncIterator[None]:
        """Answer queries until the end of the block, if that is wanted, useful and possible."""
        bound = self._bound() if self.settings.lan_discovery and self.service_port else None
        if bound is None:
            yield
            return
        with bound:
            task = asyncio.create_task(self._answer_all(bound))
            try:
                yield
            finally:
                task.cancel()
                await asyncio.wait([task])

    def _bound(self) -> socket.socket | None:
        """Return a socket with the port, None if another process has it, for example another one of this service."""
        bound = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            bound.setblocking(False)
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
            bound.bind(self.udp_address)
        except OSError as error:
            bound.close()
            _log.info("not answering apps that search for servers", udp_port=self.udp_address[1], reason=error.strerror)
            return None
        return bound

    async def _answer_all(self, bound: socket.socket) -> None:
        loop, one_thread = asyncio.get_running_loop(), CapacityLimiter(1)
        while True:
            # A sender that cannot be reached is its own problem.
            with suppress(OSError):
                data, sender = await loop.sock_recvfrom(bound, rules.QUERY_BYTES + 1)
                if query := rules.read_query(data, sender[0]):
                    answer = await to_thread.run_sync(
                        self._answer_to, query, limiter=one_thread, abandon_on_cancel=True
                    )
                    if answer:
                        await loop.sock_sendto(bound, answer, sender)
            await asyncio.sleep(_PAUSE_SECONDS)

    def _answer_to(self, query: rules.ServerQuery) -> bytes | None:
        try:
            name = self.profiles.show().name
        except PlaydockError:
            # The database is away, so nobody could sign in either.
            return None
        return rules.answer_to(
            query,
            server_id=self._id,
            name=name,
            url=self.settings.address,
            path=self.settings.url_path,
            port=self.service_port or 0,
        )
