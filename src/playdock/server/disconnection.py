"""Waiting for a client to close the connection."""

from litestar.types import Receive


async def disconnected(receive: Receive) -> None:
    """Return when the client has closed the connection. The request's body must have been read."""
    while (await receive())["type"] != "http.disconnect":
        pass
