"""Servers that say a word now and then, for ever."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from client.installations import Player
from playdock_client import header_timeout, transport
from playdock_client.errors import ServerUnavailable

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"


@contextmanager
def _trickling(at_once: bytes) -> Iterator[str]:
    """A server that gives the beginning of an answer, and then a letter at a time."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_trickle, args=[listening, at_once], daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def _trickle(listening: socket.socket, at_once: bytes) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                connection.recv(10_000)
                connection.sendall(at_once)
                for _ in range(300):
                    connection.sendall(b"x")
                    time.sleep(0.02)


@pytest.mark.parametrize("at_once", [b"HTTP/1.1 200 OK\r\nX-Header: ", HEAD])
def test_slow_headers_time_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, at_once: bytes) -> None:
    monkeypatch.setattr(transport, "_SPEED_WINDOW_SECONDS", 0.3)
    monkeypatch.setattr(header_timeout, "MAX_HEADER_SECONDS", 0.3)
    with _trickling(at_once) as address, Player.at(address, tmp_path / "game") as player:
        player.server.retry_seconds = 0.1
        with pytest.raises(ServerUnavailable):
            player.install()
