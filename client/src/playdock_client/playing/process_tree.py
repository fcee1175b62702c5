"""The processes of a game: its first process and all that descend from it, even after the first one has ended.

Loaders start a game and end; launchers of launchers do so several times. On Linux the process that starts the game
becomes the parent of every descendant whose own parent has ended (a *subreaper*), and waits until it has no child left.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from playdock_client.installation import SESSION_VARIABLE
from playdock_client.machine import MACOS
from playdock_client.playing.program_start import ProgramStart

if sys.platform == "win32":
    from playdock_client.playing.windows_job import WindowsJob

# From linux/prctl.h.
_PR_SET_CHILD_SUBREAPER = 36
TERMINATE = signal.SIGTERM
KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
# The fields of /proc/PID/stat after the command in parentheses: the state, the parent, …
_PARENT_FIELD = 1


class ProcessTree(Protocol):
    """A started program with its descendants."""

    @property
    def outputs(self) -> Sequence[IO[bytes] | None]:
        """The pipes from the standard output and the standard error of the program, if they are caught."""

    def wait(self) -> int:
        """Wait until all processes have ended, and return the exit status of the first one."""

    def terminate(self) -> None:
        """Ask all processes to end."""

    def kill(self) -> None:
        """End all processes."""


def start_tree(start: ProgramStart, *, platform: str, folder: Path) -> ProcessTree:
    """Start a program whose processes can be followed. `folder` is that of the game. Raises OSError.

    On Linux, call it only in a process that has no other children, since it waits for all of them.
    """
    if sys.platform == "win32":
        return WindowsJob(start)
    if platform == MACOS:
        return MacProcesses(start.open(), folder)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return LinuxTree(start.open())


@dataclass(frozen=True, slots=True)
class LinuxTree:
    """The descendants of this process."""

    first: subprocess.Popen[bytes]

    @property
    def outputs(self) -> Sequence[IO[bytes] | None]:
        return self.first.stdout, self.first.stderr

    def wait(self) -> int:
        status = 0
        with suppress(ChildProcessError):
            while True:
                ended, state = os.wait()
                if ended == self.first.pid:
                    status = self.first.returncode = os.waitstatus_to_exitcode(state)
        return status

    def terminate(self) -> None:
        send_signal(descendants(os.getpid()), TERMINATE)

    def kill(self) -> None:
        send_signal(descendants(os.getpid()), KILL)


@dataclass(frozen=True, slots=True)
class MacProcesses:
    """A program on macOS, where processes cannot be followed; ``open -W`` waits for an application.

    To stop a game is to end the processes whose programs are in its folder.
    """

    first: subprocess.Popen[bytes]
    folder: Path

    @property
    def outputs(self) -> Sequence[IO[bytes] | None]:
        return self.first.stdout, self.first.stderr

    def wait(self) -> int:
        return self.first.wait()

    def terminate(self) -> None:
        send_signal(self._pids(), TERMINATE)

    def kill(self) -> None:
        send_signal([*self._pids(), self.first.pid], KILL)

    def _pids(self) -> Sequence[int]:
        listed = subprocess.run(["/bin/ps", "-axo", "pid=,comm="], capture_output=True, text=True, check=False)
        return pids_in(listed.stdout, self.folder.resolve())


def pids_in(listing: str, folder: Path) -> Sequence[int]:
    """Return the ids of the processes whose program is in a folder. `listing` has an id and a path in each line."""
    found = (line.strip().partition(" ") for line in listing.splitlines())
    return [int(pid) for pid, _, path in found if pid.isdigit() and path.strip().startswith(f"{folder}/")]


def descendants(pid: int) -> Sequence[int]:
    """Return the ids of the children of a process, of their children, and so on (Linux)."""
    children: dict[int, list[int]] = {}
    for each in _process_ids():
        with suppress(OSError, ValueError, IndexError):
            # The name of the program is in parentheses, and can contain any character.
            fields = Path(f"/proc/{each}/stat").read_text(errors="replace").rpartition(")")[2].split()
            children.setdefault(int(fields[_PARENT_FIELD]), []).append(each)
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found[1:]


def processes_of_session(session: str) -> Sequence[int]:
    """Return the ids of the processes that were started in a play session, by their environment (Linux)."""
    wanted = f"{SESSION_VARIABLE}={session}".encode()
    return [each for each in _process_ids() if wanted in _environment(each).split(b"\0")]


def send_signal(pids: Iterable[int], number: int) -> None:
    """Send a signal to processes, except to those that have ended."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def stop(tree: ProcessTree, ended: Callable[[float], bool], *, patience: float) -> None:
    """Ask the processes to end, and end those that have not after `patience` seconds.

    `ended` waits for a number of seconds, and returns whether all processes have ended.
    """
    tree.terminate()
    waited = ended(patience)
    while not waited:
        tree.kill()
        # A process can start others while the list is made, so it is repeated.
        waited = ended(0.5)


def _process_ids() -> Sequence[int]:
    try:
        return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]
    except FileNotFoundError:
        return []


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
