"""A game of a few large files, and a player who installs, updates and starts it."""

import os
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from playdock_client import api
from processes.service import PATIENCE, until

FILES = 16
FILE_BYTES = 4_000_000


def write_version(folder: Path, name: str) -> None:
    folder.mkdir(parents=True)
    (folder / "game").write_text(f"#!/bin/sh\necho playing {name}\n")
    (folder / "game").chmod(0o755)
    for number in range(FILES):
        (folder / f"{number}.wad").write_bytes(os.urandom(FILE_BYTES))


class Player:
    """A player with one installed game."""

    # So slow that a process can be killed while a version is downloaded.
    bytes_per_second = 16_000_000

    def __init__(self, address: str, token: str, game: str, folder: Path) -> None:
        self.folder = folder
        self._address, self._token, self._game = address, token, game

    def play(self, version: str) -> None:
        """Install or update the game, and start it."""
        with api.Server(self._address, token=self._token, allow_http=True) as server:
            game = server.game(self._game)
            wanted = next(each for each in game.versions if each.name == version)
            options = api.FetchOptions(limit_rate=self.bytes_per_second)
            if self.folder.exists():
                api.update(server, self.folder, wanted, options=options, progress=api.NoProgress())
            else:
                api.install(server, game, wanted, self.folder, options=options, progress=api.NoProgress())
        assert api.verify(self.folder, progress=api.NoProgress()).intact
        played = subprocess.run([self.folder / "game"], capture_output=True, text=True, timeout=PATIENCE, check=True)
        assert played.stdout == f"playing {version}\n"

    def play_while(self, version: str, *disturbances: Callable[[], object]) -> None:
        """Do the same while something happens at equal distances of the download."""
        before, size = self._bytes(), FILES * FILE_BYTES
        with _busy(lambda: self.play(version)) as playing:
            for number, disturb in enumerate(disturbances, start=1):
                self._wait_for_bytes(playing, before + number * size // (len(disturbances) + 1))
                disturb()
            playing.result(PATIENCE)

    def _wait_for_bytes(self, playing: "Future[None]", size: int) -> None:
        until(lambda: playing.done() or self._bytes() >= size, what="a part of the download")
        if playing.done():
            playing.result()
            raise AssertionError("The download had ended before anything happened.")

    def _bytes(self) -> int:
        if not self.folder.exists():
            return 0
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())


@contextmanager
def _busy(run: Callable[[], None]) -> Iterator["Future[None]"]:
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(run)
