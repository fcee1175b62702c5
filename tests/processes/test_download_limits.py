"""Download limits with several processes: each enforces its share."""

import os
import socket
from contextlib import ExitStack

from .service import PATIENCE, Service

SIZE = 24 * 1024 * 1024


def begin(service: Service, path: str) -> tuple[socket.socket, str]:
    """Send a request and read only the header of the response."""
    opened = socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE)
    lines = [f"GET {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {service.token}", "", ""]
    opened.sendall("\r\n".join(lines).encode())
    return opened, opened.recv(12).decode()


def test_several_processes_share_the_limit_of_simultaneous_downloads(service: Service) -> None:
    place = service.folder / "games/Doom/1.0"
    place.mkdir(parents=True)
    (place / "game").write_bytes(os.urandom(1024) * (SIZE // 1024))
    service.more["DOWNLOADS_AT_ONCE_PER_USER"] = "4"
    service.start("--workers", "2")
    service.sign_up(service.invitations[0])
    game = service.import_game(service.folder / "games", "Doom")
    service.finish(service.start_import(game, "1.0"))
    [version] = service.get(f"/api/v1/games/{game}/versions")

    with ExitStack() as readers:
        answered = []
        for _ in range(24):
            opened, status = begin(service, f"/api/v1/versions/{version['id']}/content")
            readers.enter_context(opened)
            answered.append(status.removeprefix("HTTP/1.1 "))

    assert set(answered) == {"200", "429"}
    assert answered.count("200") <= 4
