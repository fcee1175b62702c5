"""The app without a browser: its process, and the requests that its pages send."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from client.app import stand_in_browser
from client.commands.conftest import Player
from world import NO_TLS

PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Window:
    """A window of the app: a client that has used its one-time link."""

    http: httpx2.Client
    origin: str

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return self.http.get(self.origin + path, headers=headers)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        """Send a call as the pages do."""
        own = {"Origin": self.origin, "Playdock-Client": "1", "Sec-Fetch-Site": "same-origin"}
        return self.http.request(method, f"{self.origin}/_client/v1/{path}", json=body, headers={**own, **headers})

    def do(self, method: str, path: str, body: Any = None) -> None:
        """Send a call that must succeed."""
        response = self.call(method, path, body)
        assert response.status_code == 200, response.text

    def state(self) -> Any:
        return self.call("GET", "state").json()

    def wait(self, is_reached: Callable[[Any], bool]) -> Any:
        """Wait for a state."""
        deadline = time.monotonic() + PATIENCE
        while not is_reached(state := self.state()):
            assert time.monotonic() < deadline, state
            time.sleep(0.05)
        return state

    def wait_for_jobs(self) -> Any:
        """Wait until nothing is being done, and return the state."""
        return self.wait(lambda state: all(job["state"] in ("done", "failed") for job in state["jobs"]))


@dataclass(frozen=True, slots=True)
class App:
    """A running app, and the one-time link that it printed."""

    process: subprocess.Popen[str]
    link: str

    @property
    def origin(self) -> str:
        parts = urlsplit(self.link)
        return f"{parts.scheme}://{parts.netloc}"

    @contextmanager
    def window(self, link: str = "") -> Iterator[Window]:
        with httpx2.Client(timeout=PATIENCE, verify=NO_TLS, trust_env=False) as http:
            opened = http.get(link or self.link)
            assert opened.status_code == 200, opened.text
            yield Window(http, self.origin)


@contextmanager
def running_app(player: Player, *words: str) -> Iterator[App]:
    """Run the app without windows until the end of the block."""
    process = player.start("app", "--no-window", "--json", *words)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.stderr.read() if process.stderr else ""
        yield App(process, json.loads(line)["link"])
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def install_browser(folder: Path, *, stays: bool = True) -> Path:
    """Make a folder with a stand-in for Chromium, which writes to the file ``record`` there what happens to it."""
    folder.mkdir()
    shutil.copy(stand_in_browser.__file__, folder / "browser.py")
    # Without commands it ends as soon as it has opened the page.
    commands = "" if stays else " 3</dev/null"
    (folder / "chromium").write_text(f'#!/bin/sh\nexec {sys.executable} {folder}/browser.py "$@"{commands}\n')
    (folder / "chromium").chmod(0o755)
    return folder


def wait_for_lines(file: Path, number: int) -> list[str]:
    """Wait until a file has so many lines, and return them."""
    deadline = time.monotonic() + PATIENCE
    while not file.exists() or len(lines := file.read_text().splitlines()) < number:
        assert time.monotonic() < deadline, file.exists() and file.read_text()
        time.sleep(0.05)
    return lines
