"""The folder of versions beside the base: reads and replaces its state, and finds the programs in it."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from playdock_client.atomic_files import write_atomically
from playdock_client.file_locks import share_lock, try_lock
from playdock_client.updating.version_state import BASE, STATE_FILE, VersionState, decode, encode, select

FOLDER_NAME = "versions"
# While a process uses a version, it holds a lock of this file in it.
IN_USE = "in-use"
# A state takes some hundred bytes.
_MAX_STATE_BYTES = 64 * 1024
_LOCK_SECONDS = 5.0
_LOCK_PAUSE_SECONDS = 0.02


class StateBusy(OSError):
    """Another process is changing the state."""


class Versions:
    """The folder of versions of one installation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self) -> VersionState:
        """Return the state; that of a new installation if it cannot be read."""
        try:
            with (self.folder / STATE_FILE).open(encoding="utf-8", errors="replace") as file:
                return decode(file.read(_MAX_STATE_BYTES))
        except OSError:
            return VersionState()

    def change(self, change: Callable[[VersionState], VersionState], *, seconds: float = _LOCK_SECONDS) -> None:
        """Replace the state if the change makes a difference. Raises OSError; the old state remains then."""
        with self.locked("state.lock", seconds=seconds):
            before = self.read()
            after = change(before)
            if after != before:
                write_atomically(self.folder / STATE_FILE, encode(after).encode())

    @contextmanager
    def locked(self, name: str, *, seconds: float = 0.0) -> Iterator[None]:
        """Lock the folder for one purpose. Raises StateBusy, or OSError if the folder cannot be written."""
        descriptor = os.open(self.folder / name, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            deadline = time.monotonic() + seconds
            while not try_lock(descriptor):
                if time.monotonic() >= deadline:
                    raise StateBusy
                time.sleep(_LOCK_PAUSE_SECONDS)
            yield
        finally:
            os.close(descriptor)

    def command(self, folder: str) -> Sequence[str] | None:
        """Return the command that runs a version; None for the base, and for one that is not complete."""
        if folder == BASE:
            return None
        program = program_in(self.folder / folder)
        command = [str(program), "-m", "playdock_client"] if sys.platform == "win32" else [str(program)]
        return command if program.is_file() else None

    def selected(self, *, is_app: bool) -> Iterator[str]:
        """Yield the folders of the versions to try, the best one first, and the base at the end.

        A start that cannot be counted, such as on a full disk, uses the version that has worked before.
        """
        state = self.read()
        found, after = select(state, is_app=is_app)
        if after != state:
            try:
                self.change(lambda now: select(now, is_app=is_app)[1])
            except OSError:
                found = state.previous
        yield from dict.fromkeys((found, state.previous, BASE))

    def use(self, folder: str) -> None:
        """Keep a version from being removed until this process and the program that replaces it have ended."""
        with suppress(OSError):
            share_lock(self.folder / folder / IN_USE)


def program_in(folder: Path) -> Path:
    """Return the program that runs the version in a folder."""
    if sys.platform == "win32":
        # With or without a console, like this process.
        return folder / "runtime" / Path(sys.executable).name
    return folder / "playdock-client"
