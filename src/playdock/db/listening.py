"""Listening to the notifications of a PostgreSQL database, with a connection and a thread of its own."""

import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg
import structlog

from playdock.db.notifying import Channel

_log = structlog.get_logger()

# How long the thread waits for a notification until it looks whether it must stop.
_WAIT_SECONDS = 0.5
# A server that restarts or fails over refuses connections for a moment.
_RECONNECT_SECONDS = 1.0


class Listener:
    """Calls a function after each notification, and after each connection, because others may have been missed."""

    def __init__(self, options: dict[str, Any], channel: Channel, on_notification: Callable[[], object]) -> None:
        self._options = options
        self._channel = channel
        self._on_notification = on_notification
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"listen-{channel.value}", daemon=True)
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[Any] | None = None
        self.connected = False

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._disconnect()
        if self._thread.is_alive():
            self._thread.join(2 * _WAIT_SECONDS)

    def _run(self) -> None:
        failed = False
        while not self._stopping.is_set():
            try:
                with psycopg.connect(**self._options, autocommit=True) as connection:
                    self._listen(connection)
            except (psycopg.Error, OSError) as error:
                if not self._stopping.is_set() and (self.connected or not failed):
                    _log.warning("notifications of the database do not arrive", reason=str(error).partition("\n")[0])
                failed = True
            self.connected = False
            self._stopping.wait(_RECONNECT_SECONDS)

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        self._share(connection)
        try:
            connection.execute(f"LISTEN {self._channel.value}".encode())
            self.connected = True
            self._on_notification()
            while not self._stopping.is_set():
                for _ in connection.notifies(timeout=_WAIT_SECONDS, stop_after=1):
                    self._on_notification()
        finally:
            self._share(None)

    def _share(self, connection: psycopg.Connection[Any] | None) -> None:
        with self._lock:
            self._connection = connection

    def _disconnect(self) -> None:
        """End the wait for a notification at once: the thread finds that the connection is lost."""
        with self._lock, suppress(psycopg.Error, OSError):
            if self._connection:
                with socket.socket(fileno=os.dup(self._connection.fileno())) as connected:
                    connected.shutdown(socket.SHUT_RDWR)
