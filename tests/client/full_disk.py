"""A program that installs on a disk that fills up in the middle and tells how it went: ``full_disk.py SERVER DISK``."""

import sys
from contextlib import suppress
from pathlib import Path

from playdock_client.connection import Server
from playdock_client.errors import DiskFull
from playdock_client.installing import FetchOptions, install, verify
from playdock_client.progress import NoProgress
from playdock_client.responses import GameInfo, VersionInfo


class _Filling(NoProgress):
    """Fills the disk as soon as something was written."""

    def __init__(self, disk: Path) -> None:
        self._filler = disk / "filler"

    def advance(self, done: int, *, fetched: int = 0) -> None:
        if done and not fetched:
            with suppress(OSError), self._filler.open("ab") as file:
                while True:
                    file.write(bytes(65536))
                    file.flush()


def main() -> None:
    server, disk = Server(sys.argv[1], "a-token", retry_seconds=60.0), Path(sys.argv[2])
    game, version, folder = GameInfo("game-1", "The Game"), VersionInfo("v1", "v1", "Linux"), disk / "game"
    options = FetchOptions(connections=1)
    try:
        install(server, game, version, folder, options=options, progress=_Filling(disk))
    except DiskFull as error:
        print(error)  # noqa: T201 - what the test reads
    (disk / "filler").unlink()
    outcome = install(server, game, version, folder, options=options, progress=NoProgress())
    print("reused" if outcome.reused else "fetched all", verify(folder, progress=NoProgress()).intact)  # noqa: T201


if __name__ == "__main__":
    main()
