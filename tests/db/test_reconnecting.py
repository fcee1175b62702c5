"""A database server that does not respond holds up one thread, not all, until it is back."""

import socket
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from playdock.db.database import Database
from playdock.db.reconnecting import _Connecting

_PATIENCE = 120


@pytest.fixture
def server() -> Iterator[socket.socket]:
    """What accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(_PATIENCE)
        yield listening


def test_while_a_server_is_away_one_thread_at_a_time_tries_it(server: socket.socket) -> None:
    url = f"postgresql+psycopg://ada@127.0.0.1:{server.getsockname()[1]}/games?connect_timeout={_PATIENCE}"
    with closing(Database(url)) as database, ThreadPoolExecutor(1) as pool:

        def read() -> Any:
            with pytest.raises(OperationalError), database.read() as session:
                session.execute(text("SELECT 1"))

        first = pool.submit(read)
        server.accept()[0].close()
        first.result(_PATIENCE)
        trying = pool.submit(read)
        connection, _ = server.accept()

        read()
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()

        connection.close()
        trying.result(_PATIENCE)


class _Server:
    """Stands for the driver, whose first connections fail."""

    loaded_dbapi = sqlite3

    def __init__(self, *, failing: int) -> None:
        self.failing = failing
        self.both = Barrier(2, timeout=_PATIENCE)

    def connect(self, *, meet: bool = False) -> str:
        if self.failing:
            self.failing -= 1
            raise sqlite3.OperationalError("The server is away.")
        if meet:
            # Only two callers at once get past this.
            self.both.wait()
        return "connection"


def test_all_threads_connect_again_once_the_server_is_back() -> None:
    server: Any = _Server(failing=2)
    connecting = _Connecting()
    entry: Any = None
    for _ in range(2):
        with pytest.raises(sqlite3.OperationalError, match="away"):
            connecting(server, entry, (), {})
    assert connecting(server, entry, (), {}) == "connection"
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(connecting, server, entry, (), {"meet": True}) for _ in range(2)]
        assert [each.result(_PATIENCE) for each in both] == ["connection"] * 2
