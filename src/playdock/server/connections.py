"""The open connections of a process: how many there may be, in total and per network, and how long they may wait.

All connections are examined every few seconds. What a connection waits for is found out at that moment, so that a
request costs neither a timer nor a look at the clock.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from playdock.kit.networks import Network, is_in, networks_of
from playdock.kit.throttled_log import ThrottledLog

# The socket, its duplicate, and the file that is being sent.
_DESCRIPTORS_PER_CONNECTION = 3
# For the database, tasks, log, and requests to other servers.
_OTHER_DESCRIPTORS = 128
# An idle connection uses about 20 kB, so that all of them use 200 MB.
_MAX_CONNECTIONS = 10_000
# No single network keeps others out, and hundreds of players behind one address have enough.
_NETWORKS_THAT_FILL_IT = 4
STATE_KEY = "playdock.connections"
# Bounds what somebody can write to the log from outside.
_LOG_SECONDS = 60.0
_INVALID_REQUEST_LOG_SECONDS = 1.0


class ConnectionLimits(Struct, frozen=True):
    """The maximum number of connections of a process."""

    total: int
    per_network: int

    @classmethod
    def within(cls, descriptors: int) -> "ConnectionLimits":
        """Return the limits for a process that may open this many descriptors."""
        available = (descriptors - _OTHER_DESCRIPTORS) // _DESCRIPTORS_PER_CONNECTION
        total = max(_NETWORKS_THAT_FILL_IT, min(available, _MAX_CONNECTIONS))
        return cls(total, total // _NETWORKS_THAT_FILL_IT)


class TimeLimits(Struct, frozen=True):
    """How long a connection may wait for its client, in seconds. Receiving a response may take any time."""

    # Half a second is usual; slow mobile networks may need several.
    header: float = 15.0
    # Longer than the 60 seconds for which proxies and clients commonly keep idle connections, so that they close them.
    idle: float = 75.0
    # The slowest mobile networks send more.
    body_bytes_per_second: int = 1024
    body_period: float = 15.0
    # After an error response; a client that is still sending reads it only if the connection is not reset.
    closing: float = 2.0
    interval: float = 2.0


class ConnectionCount(Struct):
    """The number of open connections of this process.

    The server creates the connections, and the application wants to know their number. They share it through the state
    of the application (`STATE_KEY`).
    """

    connections: "Connections | None" = None

    @property
    def value(self) -> int:
        return self.connections.count if self.connections else 0


class TimedConnection(Protocol):
    """A connection that is examined regularly."""

    def enforce_time_limits(self, now: float, limits: TimeLimits) -> None:
        """Close the connection if its client has exceeded a limit."""
        ...


class Connections:
    """The open connections, HTTP and web sockets. Used only in the thread of the event loop."""

    def __init__(
        self, limits: ConnectionLimits, *, times: TimeLimits | None = None, unlimited_networks: Sequence[Network] = ()
    ) -> None:
        self.invalid_requests = ThrottledLog("request rejected", _INVALID_REQUEST_LOG_SECONDS)
        self._limits = limits
        self._times = times or TimeLimits()
        self._unlimited = unlimited_networks
        self._open: dict[TimedConnection, str | None] = {}
        self._counts: Counter[str | None] = Counter()
        self._too_many = ThrottledLog("connection rejected: there are too many", _LOG_SECONDS)
        self._timer: asyncio.TimerHandle | None = None

    @property
    def count(self) -> int:
        return len(self._open)

    def admit(self, connection: TimedConnection, address: str | None) -> bool:
        """Add a connection. Return False if there are too many, in total or from its network."""
        network = self._network(address)
        if len(self._open) >= self._limits.total or self._counts[network] >= self._limits.per_network:
            self._too_many.warn(address=address, connections=len(self._open))
            return False
        self._open[connection] = network
        if network is not None:
            self._counts[network] += 1
        if self._timer is None:
            self._examine_later()
        return True

    def replace(self, connection: TimedConnection, other: TimedConnection) -> None:
        """Let another protocol take the place of a connection."""
        self._open[other] = self._open.pop(connection)

    def remove(self, connection: TimedConnection) -> None:
        """Remove a closed connection. One that was not admitted is ignored."""
        network = self._open.pop(connection, None)
        if network is not None:
            self._counts[network] -= 1
            if not self._counts[network]:
                del self._counts[network]

    def is_proxied(self, address: str | None) -> bool:
        """Return whether an address is that of a trusted proxy. A client at a Unix socket has none, and is one."""
        return not address or bool(self._unlimited and is_in(address, self._unlimited))

    def _network(self, address: str | None) -> str | None:
        """Return the network whose connections are counted together, None if their number is not limited."""
        if not address or self.is_proxied(address):
            return None
        # The largest network, because a client with a /48 can open each connection from another /64.
        return networks_of(address)[-1]

    def _examine(self) -> None:
        self._timer = None
        if self._open:
            self._examine_later()
        now = asyncio.get_running_loop().time()
        for connection in tuple(self._open):
            connection.enforce_time_limits(now, self._times)

    def _examine_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._times.interval, self._examine)
