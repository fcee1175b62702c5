"""uvicorn's web socket, as one of the limited connections."""

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from playdock.server.connections import Connections, TimeLimits


class LimitedWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's web socket, which counts as a connection. It may be open for any time: uvicorn sends pings."""

    def __init__(self, connections: Connections, **options: Any) -> None:
        super().__init__(**options)
        self._connections = connections

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._connections.remove(self)

    def enforce_time_limits(self, now: float, limits: TimeLimits) -> None:
        """Do nothing."""
