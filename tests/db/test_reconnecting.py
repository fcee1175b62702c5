"""A database server that does not respond holds up one thread, not all."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from playdock.db.database import Database

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
        server.settimeout(_PATIENCE)
        again = pool.submit(read)
        server.accept()[0].close()
        again.result(_PATIENCE)
