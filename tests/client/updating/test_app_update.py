"""The app replaces itself: from a first installation to a release that works, and back from one that does not."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from client.app.conftest import member, player, shop
from client.app.window import PATIENCE, App, Window
from client.commands.conftest import Player
from client.updating.builds import BROKEN, archive_of, offer_update, write_base
from playdock.settings import Settings
from playdock_client.updating.version_state import MAX_STARTS

__all__ = ["member", "player", "shop"]


@dataclass(frozen=True, slots=True)
class InstalledClient:
    """The start program of a client that can update itself, and its player."""

    program: Path
    player: Player

    @property
    def environment(self) -> dict[str, str]:
        home = {"HOME": str(self.player.home), "PLAYDOCK_CLIENT_HOME": str(self.player.home)}
        return {"PATH": os.environ["PATH"], "PLAYDOCK_DISCOVERY": "off", **home}

    def version(self) -> str:
        """Return the version that commands in a terminal use."""
        done = subprocess.run([self.program, "--version"], env=self.environment, capture_output=True, check=True)
        return done.stdout.decode().strip()

    @contextmanager
    def app(self) -> Iterator["subprocess.Popen[str]"]:
        """Run the app until the end of the block, also if it is started again."""
        command = [str(self.program), "app", "--no-window", "--json"]
        process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, encoding="utf-8")
        try:
            yield process
        finally:
            agent = self.player.folders.config / "agent.json"
            if agent.exists():
                os.kill(json.loads(agent.read_bytes())["pid"], signal.SIGTERM)
            process.communicate(timeout=PATIENCE)


@contextmanager
def _window(process: "subprocess.Popen[str]") -> Iterator[Window]:
    assert process.stdout
    app = App(process, json.loads(process.stdout.readline())["link"])
    with app.window() as window:
        yield window


def _phase(phase: str) -> Callable[[Any], bool]:
    return lambda state: state["clientUpdate"]["phase"] == phase


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the clients that the server offers."""
    folder = tmp_path / "offered"
    monkeypatch.setattr(Settings, "clients_dir", property(lambda _: folder))
    return folder


def test_the_app_updates_itself_and_returns_from_a_release_that_does_not_work(
    member: Player, offered: Path, tmp_path: Path
) -> None:
    client = InstalledClient(write_base(tmp_path / "program", "1.0.0"), member)
    offer_update(offered, "1.1.0", archive_of(tmp_path / "builds", "1.1.0"))
    with client.app() as process:
        with _window(process) as window:
            state = window.wait(_phase("ready"))
            assert (state["version"], state["clientUpdate"]["version"]) == ("1.0.0", "1.1.0")
            # It is on trial: only the app uses it.
            assert client.version() == "1.0.0"
            window.do("POST", "client-update/restart")
        with _window(process) as window:
            assert window.state()["version"] == "1.1.0"
            assert client.version() == "1.1.0"

            offer_update(offered, "1.2.0", archive_of(tmp_path / "builds", "1.2.0", defect=BROKEN))
            window.do("POST", "updates")
            window.wait(_phase("ready"))
            window.do("POST", "client-update/restart")
    for _ in range(MAX_STARTS - 1):
        with client.app() as process:
            assert process.wait(PATIENCE) == 1
    with client.app() as process, _window(process) as window:
        state = window.state()
        assert (state["version"], state["clientUpdate"]["failed"]) == ("1.1.0", "1.2.0")
        window.do("POST", "updates")
        offer_update(offered, "1.2.1", archive_of(tmp_path / "builds", "1.2.1"))
        window.do("POST", "client-update/install")
        state = window.wait(_phase("ready"))
        assert state["clientUpdate"]["version"] == "1.2.1"
