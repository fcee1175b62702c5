"""A server under attack by many or endless connections keeps answering, with little memory and a short log."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from databases import SqliteDatabases
from waiting import wait_until

_PROGRAM = Path(sys.executable).with_name("playdock")
_DESCRIPTORS = 1024
MIB = 1024 * 1024


@dataclass
class Attacked:
    """A server in a process of its own."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    def connect(self, source: str = "127.0.0.1") -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60, source_address=(source, 0))

    def answers(self, source: str = "127.0.0.2") -> bool:
        """Return whether somebody at another address gets an answer."""
        with suppress(OSError), self.connect(source) as opened:
            opened.sendall(b"GET /api/v1/auth HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            return opened.recv(100).startswith(b"HTTP/1.1 200")
        return False

    def forget_peak(self) -> None:
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def peak_memory(self) -> int:
        """Return the peak of the memory since `forget_peak` in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024


@contextmanager
def attacked(folder: Path, database: str) -> Iterator[Attacked]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {"DATA_DIR": str(folder / "data"), "DATABASE_URL": database, "METADATA_PROVIDERS": "none"}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            ["/bin/sh", "-c", f"ulimit -n {_DESCRIPTORS}; exec {_PROGRAM} serve --port {port}"],
            env={**os.environ, **own},
            stdout=subprocess.DEVNULL,
            stderr=log,
        )
    server = Attacked(port, process, folder / "log")
    try:
        wait_until(server.answers)
        yield server
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


@pytest.fixture
def server(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[Attacked]:
    (tmp_path / "data").mkdir(mode=0o700)
    with attacked(tmp_path, sqlite_databases.fresh(tmp_path / "data")) as running:
        yield running


ENDLESS = {
    "short lines": (b"", b"X: y\r\n" * 1000),
    "a long line": (b"X: ", b"y" * 6000),
    "a long name": (b"", b"y" * 6000),
}


@pytest.mark.heavy
@pytest.mark.parametrize("kind", ENDLESS)
def test_an_endless_header_costs_neither_memory_nor_time(server: Attacked, kind: str) -> None:
    start, piece = ENDLESS[kind]
    server.forget_peak()
    before, sent = server.peak_memory(), 0
    with server.connect() as attacker, suppress(OSError):
        attacker.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n" + start)
        while sent < 100 * MIB:
            attacker.sendall(piece)
            sent += len(piece)
    assert server.answers()
    assert server.peak_memory() - before < 20 * MIB


@pytest.mark.heavy
def test_requests_that_are_not_waited_for_cost_no_memory(server: Attacked) -> None:
    server.forget_peak()
    before = server.peak_memory()
    request = b"GET /api/v1/auth HTTP/1.1\r\nHost: h\r\n\r\n"
    with ExitStack() as open_connections:
        for _ in range(20):
            attacker = open_connections.enter_context(server.connect())
            attacker.settimeout(1)
            with suppress(OSError):
                attacker.sendall(request * 100_000)
        assert server.answers()
    assert server.peak_memory() - before < 50 * MIB


@pytest.mark.heavy
@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHo"])
def test_silent_connections_of_one_address_keep_nobody_out(server: Attacked, begun: bytes) -> None:
    with ExitStack() as open_connections:
        for _ in range(1100):
            with suppress(OSError):
                open_connections.enter_context(server.connect()).sendall(begun)
        assert server.answers()
    assert server.log.stat().st_size < 10_000


@pytest.mark.heavy
def test_silent_connections_of_many_addresses_are_closed(server: Attacked) -> None:
    with ExitStack() as open_connections:
        began = time.monotonic()
        for number in range(1100):
            with suppress(OSError):
                open_connections.enter_context(server.connect(f"127.0.1.{number % 100}"))
        wait_until(server.answers)
        assert time.monotonic() - began < 120
    assert server.log.stat().st_size < 10_000
    assert httpx2.get(f"http://127.0.0.1:{server.port}/api/v1/auth").is_success
