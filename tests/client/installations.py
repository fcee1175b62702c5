"""Somebody who installs games, and what is looked at afterwards."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from client.lying_server import GAME
from playdock_client.connection import Server
from playdock_client.installing import FetchOptions, InstallOutcome, adopt, install, repair, update
from playdock_client.progress import Notice, Phase
from playdock_client.responses import GameInfo, VersionInfo

# A server on a busy machine is waited for as long as by a real player.
PATIENCE = 60.0


@dataclass
class Watching:
    """Progress that remembers what it was told."""

    phases: list[tuple[Phase, int]] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    done: int = 0
    fetched: int = 0

    def begin(self, phase: Phase, *, total: int) -> None:
        self.phases.append((phase, total))

    def advance(self, done: int, *, fetched: int = 0) -> None:
        self.done += done
        self.fetched += fetched

    def at(self, path: str) -> None:
        pass

    def notice(self, notice: Notice) -> None:
        self.notices.append(notice)

    def check(self) -> None:
        pass


@dataclass
class Player:
    """A player with one folder and one game."""

    server: Server
    folder: Path
    game: GameInfo = field(default_factory=lambda: GameInfo(GAME, "The Game"))
    options: FetchOptions = field(default_factory=FetchOptions)
    abortable: Watching = field(default_factory=Watching)

    @classmethod
    @contextmanager
    def at(cls, address: str, folder: Path, *, token: str = "a-token") -> Iterator["Player"]:
        with Server(address, token, retry_seconds=PATIENCE) as server:
            yield cls(server, folder)

    def install(self, version: str = "v1") -> InstallOutcome:
        return install(
            self.server, self.game, version_of(version), self.folder, options=self.options, progress=self.abortable
        )

    def update(self, version: str = "v2") -> InstallOutcome:
        return update(self.server, self.folder, version_of(version), options=self.options, progress=self.abortable)

    def repair(self) -> InstallOutcome:
        return repair(self.server, self.folder, options=self.options, progress=self.abortable)

    def adopt(self, version: str = "v1") -> InstallOutcome:
        return adopt(
            self.server, self.game, version_of(version), self.folder, options=self.options, progress=self.abortable
        )

    def put(self, path: str, content: bytes = b"mine") -> Path:
        """Have the player write a file."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return file

    def files(self) -> dict[str, bytes]:
        """Return all that the folder has beside what the client keeps there."""
        return tree(self.folder)


def version_of(name: str) -> VersionInfo:
    return VersionInfo(name, f"Version {name}", "Linux")


def tree(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files below a folder by their paths; of links what they point to."""
    found: dict[str, bytes] = {}
    for place, folders, files in os.walk(folder):
        if ".playdock" in folders and Path(place) == folder:
            folders.remove(".playdock")
        for name in (*files, *(each for each in folders if (Path(place) / each).is_symlink())):
            file = Path(place) / name
            path = file.relative_to(folder).as_posix()
            found[path] = f"-> {file.readlink()}".encode() if file.is_symlink() else file.read_bytes()
    return found
