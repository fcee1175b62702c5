"""`playdock serve` as a process of its own."""

import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

PROGRAM = Path(sys.executable).with_name("playdock")
PASSWORD = "correct horse battery"
PATIENCE = 60.0
# Reading the certificates of the world takes longer than most tests.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def until(condition: Callable[[], Any], *, what: str) -> Any:
    """Wait for something to be true and give it."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.005)
    raise AssertionError(f"In vain: {what}")


@dataclass
class Service:
    """A server's data, and the process that serves it, which can be started again and again."""

    folder: Path
    database_url: str
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    token: str = ""
    more: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        own = {"DATA_DIR": str(self.folder / "data"), "DATABASE_URL": self.database_url, "HOME": str(self.folder)}
        return {**os.environ, **own, "METADATA_PROVIDERS": "none", **self.more}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [PROGRAM, *arguments],
            env=self.environment(),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def start(self, *arguments: str) -> None:
        """Start the server and wait until it answers."""
        said, complained = self.folder / "said", self.folder / "complained"
        with said.open("wb") as out, complained.open("ab") as errors:
            self.process = subprocess.Popen(
                [PROGRAM, "serve", "--port", str(self.port), *arguments],
                env=self.environment(),
                cwd=self.folder,
                stdout=out,
                stderr=errors,
            )
        until(self._answers, what=f"the server does not answer: {complained.read_text()}")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, wait for the end, and give the exit status."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.stop(signal.SIGKILL)

    @property
    def said(self) -> str:
        """What the process that was started last has printed."""
        return (self.folder / "said").read_text()

    @property
    def invitations(self) -> list[str]:
        """The links in what was printed."""
        return re.findall(r"^(http\S+/auth/register\?id=\S+)$", self.said, re.MULTILINE)

    def bytes_read(self) -> int:
        """How much the process has asked the system to read, from wherever."""
        assert self.process is not None
        told = Path(f"/proc/{self.process.pid}/io").read_text()
        return int(re.search(r"rchar: (\d+)", told)[1])  # type: ignore[index]

    def request(self, method: str, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        address = f"http://127.0.0.1:{self.port}{path}"
        return httpx2.request(method, address, json=body, headers=headers, timeout=PATIENCE, verify=_NO_TLS, **options)

    def get(self, path: str, **options: Any) -> Any:
        answer = self.request("GET", path, **options)
        assert answer.is_success, answer.text
        return answer.json()

    def post(self, path: str, body: Any) -> Any:
        answer = self.request("POST", path, body)
        assert answer.is_success, answer.text
        return answer.json()

    def sign_up(self, link: str, *, username: str = "ada") -> None:
        """Follow an invitation and sign in."""
        invitation = link.partition("?id=")[2]
        person = {"username": username, "password": PASSWORD}
        self.post(
            "/api/v1/auth/signup/simple", {**person, "invitation": invitation, "email": f"{username}@example.org"}
        )
        self.token = self.post("/api/v1/auth/signin/simple", person)["accessToken"]

    def finish(self, task: str) -> dict[str, Any]:
        """Wait for the end of a task."""

        def ended() -> dict[str, Any] | None:
            found: dict[str, Any] = self.get(f"/api/v1/task/{task}")
            return found if found["ended"] else None

        found: dict[str, Any] = until(ended, what=f"the end of task {task}")
        return found

    def add_library(self, base: Path) -> str:
        """Make a library of a folder and give its id."""
        options = {"name": "Games", "backend": "Filesystem", "options": {"baseDir": str(base)}}
        added: str = self.post("/api/v1/admin/library/sources", options)["id"]
        return added

    def import_game(self, base: Path, name: str) -> str:
        """Make a library of a folder, import a game, and give its id."""
        task = self.post("/api/v1/admin/import/game", {"library": self.add_library(base), "path": name})["taskId"]
        assert self.finish(task)["success"]
        found: str = self.get("/api/v1/admin/library")["games"][0]["game"]["id"]
        return found

    def start_import(self, game: str, version: str, **wanted: Any) -> str:
        """Start the import of a version and give the task."""
        body = {"id": game, "version": version, "platform": "Linux", "delta": False, "launch": "game", **wanted}
        task: str = self.post("/api/v1/admin/import/version", body)["taskId"]
        return task

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, (self.folder / "complained").read_text()
        try:
            return self.request("GET", "/api/v1/auth").is_success
        except httpx2.TransportError:
            return False
