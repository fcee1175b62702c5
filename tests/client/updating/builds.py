"""Small builds of the client: the real package with another version, run by this Python instead of a frozen one."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import playdock_client
from client.app.window import PATIENCE, App, Window
from client.commands.conftest import Player
from playdock_client.updating.versions import FOLDER_NAME
from reproducible import update_archive

_START = """\
#!{python}
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))

from playdock_client.updating.stub import run_selected_version

run_selected_version(Path(__file__))
{defect}
from playdock_client.main import run

run()
"""
# It answers `--version`, but the app ends at once.
BROKEN = 'if "app" in sys.argv: sys.exit("broken")'


def write_build(folder: Path, version: str, *, defect: str = "") -> Path:
    """Write a build and return its start program."""
    package = folder / "lib/playdock_client"
    shutil.copytree(Path(playdock_client.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    own = package / "__init__.py"
    own.write_text(re.sub(r'__version__ = ".*"', f'__version__ = "{version}"', own.read_text()))
    program = folder / "playdock-client"
    program.write_text(_START.format(python=sys.executable, defect=defect))
    program.chmod(0o755)
    return program


def write_base(folder: Path, version: str) -> Path:
    """Write what a setup program installs, and return its start program."""
    program = write_build(folder, version)
    (folder / FOLDER_NAME).mkdir()
    return program


def archive_of(folder: Path, version: str, *, defect: str = "") -> bytes:
    """Return the archive of an update."""
    write_build(folder / version, version, defect=defect)
    return update_archive(folder / version, epoch=1_700_000_000)


def offer_update(folder: Path, version: str, archive: bytes) -> None:
    """Let a server offer exactly this update."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    name = f"playdock-update-{version}-linux-x86_64.tar.xz"
    (folder / name).write_bytes(archive)
    (folder / "SHA256SUMS").write_text(f"{hashlib.sha256(archive).hexdigest()}  {name}\n")


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
def window_of(process: "subprocess.Popen[Any]") -> Iterator[Window]:
    assert process.stdout
    app = App(process, json.loads(process.stdout.readline())["link"])
    with app.window() as window:
        yield window


def phase_is(phase: str) -> Callable[[Any], bool]:
    return lambda state: state["clientUpdate"]["phase"] == phase
