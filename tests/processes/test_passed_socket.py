"""A socket that systemd keeps open: connections wait while the service restarts."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from .service import PATIENCE, Service

# Passes a socket as systemd does: as descriptor 3, to the process with the id in LISTEN_PID.
_PASS = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execv(sys.argv[2], sys.argv[2:])
"""
REQUEST = b"GET /api/v1/auth HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"


def launch(service: Service, listening: socket.socket, *options: str) -> None:
    command = [sys.executable, "-c", _PASS, str(listening.fileno()), str(service.program), "serve", *options]
    with (service.folder / "said").open("wb") as out:
        service.process = subprocess.Popen(
            command, env=service.environment(), cwd=service.folder, stdout=out, pass_fds=[listening.fileno()]
        )


def respond_to(connection: socket.socket) -> bytes:
    """Read the whole response to a request that was sent before."""
    response = b""
    while data := connection.recv(1 << 16):
        response += data
    return response


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_UNIX])
def test_connections_wait_while_the_service_restarts(service: Service, family: socket.AddressFamily) -> None:
    several = ["--workers", "2"] if family == socket.AF_INET else []
    path = str(service.folder / "playdock.sock")
    with socket.socket(family) as listening, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        listening.bind(("127.0.0.1", service.port) if family == socket.AF_INET else path)
        listening.listen()
        manager.bind(str(service.folder / "manager"))
        manager.settimeout(PATIENCE)
        service.more["NOTIFY_SOCKET"] = str(service.folder / "manager")

        launch(service, listening, *several)
        assert manager.recv(100) == b"READY=1"
        assert (service.stop(), Path(path).exists()) == (0, family == socket.AF_UNIX)
        with socket.socket(family) as waiting:
            waiting.settimeout(PATIENCE)
            waiting.connect(listening.getsockname())
            waiting.sendall(REQUEST)
            launch(service, listening, *several)
            assert respond_to(waiting).startswith(b"HTTP/1.1 200 ")

    assert f"http://localhost:{service.port if family == socket.AF_INET else 3000}" in service.said
    assert service.stop() == 0
