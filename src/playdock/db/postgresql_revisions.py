"""The cache revisions of a PostgreSQL database, read through a separate connection in the event loop.

They are read for every request, because a notification could arrive after the next request (docs/decisions/0022).
Simultaneous requests share one query: each waits for the first query that begins after the request.
"""

import asyncio
from typing import Any

import psycopg

from playdock.db.revisions import READ, Numbers

# A server that does not respond for this long is treated as unavailable, and caches are not used.
MAX_WAIT_SECONDS = 5.0


class PostgresqlRevisions:
    """Reads the current numbers, with one query at a time."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._connection: psycopg.AsyncConnection | None = None
        self._closed = False
        self._is_silent = False
        self._running: asyncio.Task[Numbers | None] | None = None
        self._next: asyncio.Task[Numbers | None] | None = None

    def known(self) -> Numbers | None:
        return None

    async def latest(self) -> Numbers | None:
        if self._next is None:
            self._next = asyncio.create_task(self._read_after(self._running))
        # Requests do not wait for a server that has not responded; the next query shows whether it does again.
        return None if self._is_silent else await asyncio.shield(self._next)

    def close(self) -> None:
        """Close the connection; one that is being established is closed once it is."""
        self._closed = True
        self._disconnect()

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.pgconn.finish()

    async def _read_after(self, running: asyncio.Task[Numbers | None] | None) -> Numbers | None:
        if running is not None and not running.done():
            await asyncio.wait([running])
        # Callers from here on wait for another query.
        self._running, self._next = self._next, None
        try:
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                numbers = await self._read()
        except (psycopg.Error, OSError, TimeoutError) as error:
            self._disconnect()
            self._is_silent = isinstance(error, TimeoutError)
            return None
        else:
            self._is_silent = False
            return numbers
        finally:
            if self._closed:
                self._disconnect()

    async def _read(self) -> Numbers | None:
        if self._connection is None:
            self._connection = await psycopg.AsyncConnection.connect(**self._options, autocommit=True)
        cursor = await self._connection.execute(READ)
        row = await cursor.fetchone()
        return None if row is None else Numbers(*row)
