"""A program that installs or updates and is killed at its nth word to the disk: ``killed.py SERVER FOLDER VERSION N``.

Words are what Python's audit hooks tell of before it happens: names made, moved and removed, and files opened.
"""

import os
import signal
import sys
from itertools import count
from pathlib import Path
from typing import Any

from playdock_client.connection import Server
from playdock_client.installing import FetchOptions, install, read_installation, update
from playdock_client.progress import NoProgress
from playdock_client.responses import GameInfo, VersionInfo

WORDS = frozenset({"open", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate", "os.chmod"})


def main() -> None:
    address, folder, version, last = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    server = Server(address, "a-token", retry_seconds=60.0)
    info = VersionInfo(version, version, "Linux")
    _die_at(last, where=str(folder))
    if (folder / ".playdock" / "installation.json").exists():
        read_installation(folder)
        update(server, folder, info, options=FetchOptions(connections=1), progress=NoProgress())
    else:
        install(
            server,
            GameInfo("game-1", "The Game"),
            info,
            folder,
            options=FetchOptions(connections=1),
            progress=NoProgress(),
        )


def _die_at(last: int, *, where: str) -> None:
    words = count(1)

    def listen(event: str, arguments: tuple[Any, ...]) -> None:
        if event in WORDS and any(str(each).startswith(where) for each in arguments) and next(words) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(listen)


if __name__ == "__main__":
    main()
