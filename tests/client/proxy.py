"""A line between a client and a server that can be cut, and led to another server."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Proxy:
    """Carries bytes to and from `target` (host, port)."""

    target: tuple[str, int]
    listening: socket.socket
    connections: list[socket.socket] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    def cut(self) -> None:
        """Cut all connections that there are."""
        for each in self.connections:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target, timeout=60)
            except OSError:
                client.close()
                continue
            self.connections += [client, server]
            threading.Thread(target=_carry, args=[client, server], daemon=True).start()
            threading.Thread(target=_carry, args=[server, client], daemon=True).start()


@contextmanager
def proxy(target: str) -> Iterator[Proxy]:
    """Run one before the server at an address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        running = Proxy(place_of(target), listening)
        thread = threading.Thread(target=running.accept)
        thread.start()
        try:
            yield running
        finally:
            running.cut()
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()
            for each in running.connections:
                each.close()


def place_of(address: str) -> tuple[str, int]:
    host, _, port = address.removeprefix("http://").partition(":")
    return host, int(port)


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for each in (source, target):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
