"""Records a session with the player's client, from signing in to a verified update.

`record_session.py FOLDER` runs the service with a game in two releases, then the client in a terminal, and writes
`session.cast` and `session.svg` into FOLDER. Commands appear as if typed, long pauses are shortened, the
service's port is shown as the default one and the player's home as ``~``. Everything else is unchanged.
"""

import argparse
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from bench.library import add_library, import_game, import_version
from bench.pairs import PairsMissing, Release, unpacked
from bench.servers import Service, service

from session_picture import picture
from session_recording import Disguise, Recording
from session_terminal import Ended, NotUnderstood, Size, Terminal, shown_by

GAME = "Showdown"
OLD, NEW = (Release("pokemon-showdown", version, npm=True) for version in ("0.11.9", "0.11.10"))
ADDRESS = "http://localhost:3000"
TITLE = "playdock-client"
SIZE = Size(columns=100, rows=28)
COMMANDS = (
    f"playdock-client login {ADDRESS}",
    "playdock-client info showdown",
    f"playdock-client install showdown --version {OLD.version}",
    "playdock-client update showdown",
    "playdock-client verify showdown",
)

_LAUNCH = "pokemon-showdown"
_CODE = re.compile(r"Code +((?:\S ){8}\S)")


@dataclass(frozen=True, slots=True)
class Stage:
    """A running service with the game, and the empty home of a player."""

    service: Service
    home: Path

    @property
    def environment(self) -> dict[str, str]:
        """Return the client's environment, which contains only the PATH of this machine."""
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        home = str(self.home)
        return {
            "HOME": home,
            "PLAYDOCK_CLIENT_HOME": home,
            "PATH": programs,
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        }

    def disguise(self) -> Disguise:
        return Disguise({self.service.running.address: ADDRESS, str(self.home): "~"})

    def words(self, line: str) -> list[str]:
        """Return the arguments of a displayed command, with the real address of the service."""
        return shlex.split(line.replace(ADDRESS, self.service.running.address))

    def approve(self, code: str) -> None:
        """Authorize a device, like the player does in the browser."""
        with self.service.client() as browser:
            browser.post("/api/v1/user/client/request", json={"userCode": code, "approve": True}).raise_for_status()


@contextmanager
def stage() -> Iterator[Stage]:
    """Start a service with both releases of the game and patches between them."""
    releases = {release.version: unpacked(release) / "package" for release in (OLD, NEW)}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        home, games = folder / "home", folder / "games"
        home.mkdir()
        for version, files in releases.items():
            shutil.copytree(files, games / GAME / version, symlinks=True)
        with service(folder) as running:
            with running.client() as admin:
                fill(admin, games)
            yield Stage(running, home)


def fill(admin: httpx2.Client, games: Path) -> None:
    """Import the game and its releases, and wait for the patches."""
    game = import_game(admin, add_library(admin, games), GAME)
    old, new = (import_version(admin, game, release.version, launch=_LAUNCH) for release in (OLD, NEW))
    while not have_patches(admin, old, new):
        time.sleep(0.5)


def have_patches(admin: httpx2.Client, old: str, new: str) -> bool:
    """Return whether there are patches from one version to the other. The import makes the service create them."""
    answer = admin.get(f"/api/v1/versions/{new}/patches", params={"from": old}).raise_for_status()
    return answer.status_code == httpx2.codes.OK


def record(stage: Stage) -> Recording:
    """Run the commands one after another, and authorize the device when it shows its code."""
    recording = Recording(SIZE)
    for line in COMMANDS:
        recording.prompt()
        recording.type(line)
        play(line, stage, recording)
    recording.prompt()
    return recording


def play(line: str, stage: Stage, recording: Recording) -> None:
    disguise, written, approved = stage.disguise(), "", False
    for text in shown_by(stage.words(line), size=SIZE, environment=stage.environment):
        recording.show(disguise.cover(text))
        written += text
        if not approved and (code := code_in(written)):
            stage.approve(code)
            approved = True
    recording.show(disguise.rest())


def code_in(written: str) -> str | None:
    """Return the code that a device shows, such as ``W D J B - M J H T``."""
    found = _CODE.search(written)
    return found[1].replace(" ", "") if found else None


def write(recording: Recording, folder: Path) -> None:
    terminal = Terminal(SIZE)
    terminal.write(recording.text())
    cast = "".join(f"{line}\n" for line in recording.cast(title=TITLE))
    (folder / "session.cast").write_text(cast, encoding="utf-8")
    drawn = picture(terminal.lines(), size=SIZE, title=TITLE)
    (folder / "session.svg").write_text(drawn, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where session.cast and session.svg are written")
    folder: Path = parser.parse_args(arguments).folder
    try:
        with stage() as ready:
            write(record(ready), folder)
    except (PairsMissing, Ended, NotUnderstood) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
