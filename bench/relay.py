"""A relay between a client and a server that counts all bytes, including headers."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_BUFFER = 256 * 1024


@dataclass(slots=True)
class Relay:
    """The address of the relay, and the number of bytes relayed in both directions."""

    address: str
    carried: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def carry(self, source: socket.socket, sink: socket.socket) -> None:
        """Relay bytes in one direction until the end."""
        with suppress(OSError):
            while data := source.recv(_BUFFER):
                sink.sendall(data)
                with self._lock:
                    self.carried += len(data)
            sink.shutdown(socket.SHUT_WR)


@contextmanager
def relay_to(address: str) -> Iterator[Relay]:
    """Relay connections to a server until the block ends."""
    parts = urlsplit(address)
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        relay = Relay(f"http://127.0.0.1:{listening.getsockname()[1]}")

        def accept() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listening.accept()
                    server = socket.create_connection((parts.hostname or "", parts.port or 80))
                    for ends in ((client, server), (server, client)):
                        threading.Thread(target=relay.carry, args=ends, daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield relay
        listening.shutdown(socket.SHUT_RDWR)
