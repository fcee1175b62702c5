"""Something on loopback that answers the app's search for servers."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_PATIENCE = 120.0


def answer(nonce: str, **changes: Any) -> bytes:
    """Return the answer of a server."""
    return json.dumps(
        {"type": "playdock-server", "nonce": nonce, "id": "1", "name": "Arcade", "port": 3000, **changes},
        ensure_ascii=False,
    ).encode()


@contextmanager
def answering(answers: Callable[[str], list[bytes]]) -> Iterator[tuple[str, int]]:
    """Answer each query with datagrams that depend on its nonce; yield the address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bound:
        bound.bind(("127.0.0.1", 0))
        address = bound.getsockname()

        def work() -> None:
            while True:
                query, sender = bound.recvfrom(65_536)
                if query == b"stop":
                    return
                for each in answers(json.loads(query)["nonce"]):
                    bound.sendto(each, sender)

        thread = threading.Thread(target=work, name="local-network")
        thread.start()
        try:
            yield address
        finally:
            bound.sendto(b"stop", address)
            thread.join(_PATIENCE)
            assert not thread.is_alive()
