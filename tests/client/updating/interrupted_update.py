"""Updates of a client that are interrupted: ``interrupted_update.py MODE PROGRAM_FOLDER SERVER OFFER``.

``killed`` kills an update before each of its calls of the system that concern the folder of versions. ``full`` updates
on a disk without room. After each attempt a version must start that has worked. Prints what happened.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from client.killed import WORDS
from playdock_client.updating.installing_update import install_update, remove_unused, updating
from playdock_client.updating.offers import ClientOffer
from playdock_client.updating.version_state import BASE, VersionState, switch, version_of
from playdock_client.updating.versions import Versions


def update(versions: Versions, server: str, offer: ClientOffer) -> None:
    with updating(versions):
        remove_unused(versions)
        folder = install_update(versions, server, offer, on_received=lambda _: None)
        versions.change(lambda state: switch(state, folder))


def started(versions: Versions, *, is_app: bool) -> str:
    """Return the version that a start runs."""
    for folder in versions.selected(is_app=is_app):
        command = versions.command(folder)
        if folder == BASE:
            return "base"
        if command is not None:
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    raise AssertionError


def kill_everywhere(versions: Versions, server: str, offer: ClientOffer) -> str:
    """Kill an update at each word to the disk, and return after how many it was complete."""
    for last in count(1):
        before = versions.read()
        child = os.fork()
        if child == 0:
            _die_at(last, where=str(versions.folder))
            update(versions, server, offer)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:
            return f"killed {last - 1} times"
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        after = versions.read()
        assert after == before or (version_of(after.current), after.previous) == (offer.version, BASE), after
        assert started(versions, is_app=False) == "base"
        assert started(versions, is_app=True) == ("base" if after == before else offer.version)
        if after != before:
            versions.change(lambda _: VersionState())
    raise AssertionError


def fill(versions: Versions, server: str, offer: ClientOffer) -> str:
    """Update on a disk that is too small, then fill it while a new version is on trial."""
    try:
        update(versions, server, offer)
    except OSError as error:
        print(error.strerror)  # noqa: T201 - what the test reads
    assert started(versions, is_app=True) == "base"
    left = [path.name for path in versions.folder.iterdir() if not path.name.endswith(".lock")]
    trial = versions.folder / "9.0.0-trial"
    trial.mkdir()
    (trial / "playdock-client").write_text("#!/bin/sh\necho 9.0.0\n")
    (trial / "playdock-client").chmod(0o755)
    versions.change(lambda state: switch(state, trial.name))
    first = started(versions, is_app=True)
    with (versions.folder / "filler").open("wb", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError:
            pass
    return f"left {left}, then {first}, on a full disk {started(versions, is_app=True)}"


def _die_at(last: int, *, where: str) -> None:
    words = count(1)

    def listen(event: str, arguments: tuple[Any, ...]) -> None:
        if event in WORDS and any(str(each).startswith(where) for each in arguments) and next(words) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(listen)


def main(words: Sequence[str]) -> None:
    mode, folder, server, offer = words
    versions = Versions(Path(folder))
    versions.folder.mkdir(exist_ok=True)
    modes = {"killed": kill_everywhere, "full": fill}
    print(modes[mode](versions, server, msgspec.json.decode(offer, type=ClientOffer)))  # noqa: T201 - for the test


if __name__ == "__main__":
    main(sys.argv[1:])
