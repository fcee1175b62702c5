"""`playdock serve` as a child process."""

import errno
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
from itertools import count
from pathlib import Path
from typing import Any

import httpx2

PROGRAM = Path(sys.executable).with_name("playdock")
PASSWORD = "correct horse battery"
# Starting a process takes long on a busy machine. The timeout only ends tests that would hang.
PATIENCE = 120.0
# The server should stop within ten seconds, but a busy machine may need more.
MAX_STOP_SECONDS = 30.0
# Makes processes record and delay the opening of a version's files.
_HELD_READING = Path(__file__).parent / "held_reading"
# Loading the system's certificates takes longer than most tests.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def is_refused(port: int) -> bool:
    """Return whether nobody listens at a port. A connection that is reset was made while a listener ended."""
    with socket.socket() as caller:
        caller.settimeout(PATIENCE)
        return caller.connect_ex(("127.0.0.1", port)) == errno.ECONNREFUSED


def until(condition: Callable[[], Any], *, what: str) -> Any:
    """Wait until a condition returns a true value, and return the value."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.005)
    raise AssertionError(f"In vain: {what}")


@dataclass
class Service:
    """The data of a server, and its process, which can be started repeatedly."""

    folder: Path
    database_url: str
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    token: str = ""
    more: dict[str, str] = field(default_factory=dict)
    program: Path = PROGRAM
    # The path of the external URL, which is set if it has one.
    url_path: str = ""

    def environment(self) -> dict[str, str]:
        own = {"DATA_DIR": str(self.folder / "data"), "DATABASE_URL": self.database_url, "HOME": str(self.folder)}
        if self.url_path:
            own["EXTERNAL_URL"] = self.address
        return {**os.environ, **own, "METADATA_PROVIDERS": "none", **self.more}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.url_path}"

    def hold_reading(self, *, after: int) -> None:
        """Let servers that are started from now on wait when they have opened a number of files ``*.wad``."""
        (self.folder / "opened").write_text("")
        self._allow(after)
        self.more |= {"PYTHONPATH": str(_HELD_READING), "HELD_READING": str(self.folder)}

    def _allow(self, opened: int) -> None:
        written = self.folder / "allowed.new"
        written.write_text(str(opened))
        written.replace(self.folder / "allowed")

    def stop_reading(self, *, after: int) -> int:
        """Send SIGTERM, let the files that are waited for be opened slowly, and return the exit status."""
        self.signal(signal.SIGTERM)
        self.read_slowly(after=after, until=self._has_ended)
        return self.wait()

    def read_slowly(self, *, after: int, until: Callable[[], bool]) -> None:
        """Let the files that are waited for be opened slowly, so that the server can notice that it must stop."""
        for opened in count(after):
            self._allow(opened)
            deadline = time.monotonic() + 0.25
            while time.monotonic() < deadline:
                if until():
                    return
                time.sleep(0.005)

    def _has_ended(self) -> bool:
        assert self.process is not None
        return self.process.poll() is not None

    def release_reading(self) -> list[str]:
        """Let servers go on, and return the names of the files ``*.wad`` that they opened until now, in order."""
        names = [line.rpartition("/")[2] for line in (self.folder / "opened").read_text().splitlines()]
        self.hold_reading(after=sys.maxsize)
        return names

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command until it ends."""
        return subprocess.run(
            [self.program, *arguments],
            env=self.environment(),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def start(self, *arguments: str) -> None:
        """Start the server and wait until it responds."""
        self.launch(*arguments)
        until(self._answers, what=f"the server does not answer: {(self.folder / 'complained').read_text()}")

    def launch(self, *arguments: str) -> None:
        """Start the server without waiting for it."""
        said, error_lines = self.folder / "said", self.folder / "complained"
        with said.open("wb") as out, error_lines.open("ab") as errors:
            self.process = subprocess.Popen(
                [self.program, "serve", "--port", str(self.port), *arguments],
                env=self.environment(),
                cwd=self.folder,
                stdout=out,
                stderr=errors,
            )

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, wait until the process ends, and return the exit status."""
        self.signal(number)
        return self.wait()

    def signal(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def wait(self, *, timeout: float = PATIENCE) -> int:
        """Wait until the process ends, and return the exit status."""
        assert self.process is not None
        return self.process.wait(timeout)

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.stop(signal.SIGKILL)

    @property
    def said(self) -> str:
        """The output of the last process."""
        return (self.folder / "said").read_text()

    @property
    def invitations(self) -> list[str]:
        """The links in the output."""
        return re.findall(r"^(http\S+/auth/register\?id=\S+)$", self.said, re.MULTILINE)

    def bytes_read(self) -> int:
        """The number of bytes that the process has read, from any source."""
        assert self.process is not None
        told = Path(f"/proc/{self.process.pid}/io").read_text()
        return int(re.search(r"rchar: (\d+)", told)[1])  # type: ignore[index]

    def request(self, method: str, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= options.pop("headers", {})
        return httpx2.request(
            method, self.address + path, json=body, headers=headers, timeout=PATIENCE, verify=_NO_TLS, **options
        )

    def get(self, path: str, **options: Any) -> Any:
        answer = self.request("GET", path, **options)
        assert answer.is_success, answer.text
        return answer.json()

    def post(self, path: str, body: Any) -> Any:
        answer = self.request("POST", path, body)
        assert answer.is_success, answer.text
        return answer.json()

    def sign_up(self, link: str, *, username: str = "ada") -> None:
        """Sign up with an invitation and sign in."""
        invitation = link.partition("?id=")[2]
        person = {"username": username, "password": PASSWORD}
        self.post(
            "/api/v1/auth/signup/simple", {**person, "invitation": invitation, "email": f"{username}@example.org"}
        )
        self.token = self.post("/api/v1/auth/signin/simple", person)["accessToken"]

    def finish(self, task: str) -> dict[str, Any]:
        """Wait until a task has ended."""

        def ended() -> dict[str, Any] | None:
            found: dict[str, Any] = self.get(f"/api/v1/task/{task}")
            return found if found["ended"] else None

        found: dict[str, Any] = until(ended, what=f"the end of task {task}")
        return found

    def add_library(self, base: Path, *, backend: str = "Filesystem") -> str:
        """Create a library for a folder and return its id."""
        options = {"name": "Games", "backend": backend, "options": {"baseDir": str(base)}}
        added: str = self.post("/api/v1/admin/library/sources", options)["id"]
        return added

    def import_game(self, base: Path, name: str, *, backend: str = "Filesystem") -> str:
        """Create a library for a folder, import a game, and return the game's id."""
        library = self.add_library(base, backend=backend)
        task = self.post("/api/v1/admin/import/game", {"library": library, "path": name})["taskId"]
        assert self.finish(task)["success"]
        found: str = self.get("/api/v1/admin/library")["games"][0]["game"]["id"]
        return found

    def start_import(self, game: str, version: str, **wanted: Any) -> str:
        """Start the import of a version and return the task."""
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
