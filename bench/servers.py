"""Servers to measure: the service as a separate process, and an empty route on the same stack."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2

from playdock.features.invitations.schemas import InvitationCreate
from playdock.kit.clock import utc_now
from playdock.settings import Settings
from playdock.web.wiring import wire

PASSWORD = "correct horse battery"
# For what never ends, not for what is slow on a busy machine.
_PATIENCE = 600.0
_PROGRAM = (str(Path(sys.executable).parent / "playdock"),)
_EMPTY_APP = """
from litestar import Litestar, get
import uvicorn, sys

@get("/")
async def empty() -> None:
    return None

config = uvicorn.Config(Litestar([empty], openapi_config=None, logging_config=None), port=int(sys.argv[1]),
    loop="asyncio", http="httptools", log_config=None, access_log=False, server_header=False)
uvicorn.Server(config).run()
"""


@dataclass(frozen=True, slots=True)
class Running:
    """A server process: its address, its process, and the seconds from its start to its first response."""

    address: str
    process: subprocess.Popen[bytes]
    seconds_to_answer: float

    def memory(self) -> float:
        """Return the resident memory in MiB."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def forget_peak(self) -> None:
        """Reset the peak of the resident memory."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def peak_memory(self) -> float:
        """Return the peak of the resident memory since the last `forget_peak` in MiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024

    def processor_seconds(self) -> float:
        """Return the processor time of all threads in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def keep_to(self, cores: set[int]) -> None:
        """Restrict all threads to these cores."""
        for thread in Path(f"/proc/{self.process.pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), cores)

    def open_files(self) -> list[Path]:
        """Return the open files and folders of the process."""
        found = []
        for descriptor in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(FileNotFoundError):
                found.append(descriptor.readlink())
        return found


@dataclass(frozen=True, slots=True)
class Service:
    """The service with a signed-in administrator."""

    running: Running
    settings: Settings
    token: str

    def client(self) -> httpx2.Client:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx2.Client(base_url=self.running.address, headers=headers, timeout=_PATIENCE)


@contextmanager
def running(command: list[str], *, port: int, path: str, environment: dict[str, str]) -> Iterator[Running]:
    """Start a server process, wait for its first response, and stop it at the end."""
    address = f"http://127.0.0.1:{port}"
    client = httpx2.Client(trust_env=False)
    started = time.perf_counter()
    process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
    try:
        while True:
            try:
                client.get(f"{address}{path}")
                break
            except httpx2.TransportError:
                assert process.poll() is None, "The server ended."
                time.sleep(0.005)
        seconds = time.perf_counter() - started
        client.close()
        yield Running(address, process, seconds)
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def empty_route() -> Iterator[Running]:
    port = free_port()
    with running([sys.executable, "-c", _EMPTY_APP, str(port)], port=port, path="/", environment={}) as server:
        yield server


@contextmanager
def service(
    folder: Path,
    *,
    database_url: str = "",
    sign_in: bool = True,
    more: Mapping[str, str] | None = None,
    program: Sequence[str] = _PROGRAM,
) -> Iterator[Service]:
    """Run the service with its data in a folder or another database, and sign an administrator in.

    ``more`` are other settings, by the names of environment variables.
    """
    port = free_port()
    settings = Settings(data_dir=folder / "data", external_url=f"http://127.0.0.1:{port}", database_url=database_url)
    command = [*program, "serve", "--port", str(port)]
    environment = {
        "DATA_DIR": str(settings.data_dir),
        "DATABASE_URL": settings.database_url,
        "EXTERNAL_URL": settings.external_url,
        "METADATA_PROVIDERS": "none",
        "DOWNLOADS_AT_ONCE_PER_USER": "0",
        "REQUESTS_PER_MINUTE": "0",
        **(more or {}),
    }
    with running(command, port=port, path="/api/v1/user", environment=environment) as server:
        yield Service(server, settings, _admin(server.address, settings) if sign_in else "")


def invitation(settings: Settings, **wanted: Any) -> str:
    services = wire(settings)
    draft = InvitationCreate(expires=utc_now() + timedelta(days=1), **wanted)
    made = services.invitations.issue(draft).id
    services.db.close()
    return made


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _admin(address: str, settings: Settings) -> str:
    body = {"invitation": invitation(settings, is_admin=True), "username": "ada", "email": "ada@example.org"}
    sign_up = {**body, "password": PASSWORD}
    httpx2.post(f"{address}/api/v1/auth/signup/simple", json=sign_up, timeout=_PATIENCE).raise_for_status()
    known = {"username": "ada", "password": PASSWORD}
    signed_in = httpx2.post(f"{address}/api/v1/auth/signin/simple", json=known, timeout=_PATIENCE)
    token: str = signed_in.json()["accessToken"]
    return token
