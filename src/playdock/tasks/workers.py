"""Worker ids, which identify the runner that has a task: ``host:machine:process:random``.

Runners of the same host share its cores. A runner can check whether the process of another one still exists only on the
same machine, which here means the same boot and the same process namespace: containers may have the same host name and
nothing else in common.
"""

import os
import socket
from contextlib import suppress
from pathlib import Path

from playdock.kit.identifiers import digest, new_id

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_PROCESSES = Path("/proc/self/ns/pid")
_PARTS = 4


def new_worker_id() -> str:
    return f"{socket.gethostname()}:{_machine()}:{os.getpid()}:{new_id()[:8]}"


def host_of(worker_id: str) -> str:
    return worker_id.partition(":")[0]


def is_dead(worker_id: str) -> bool:
    """Return whether a runner was a process of this machine that no longer exists; False if that is unknown."""
    parts = worker_id.split(":")
    if len(parts) != _PARTS or parts[:2] != [socket.gethostname(), _machine()] or not parts[2].isdecimal():
        return False
    try:
        os.kill(int(parts[2]), 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False


def _machine() -> str:
    """Return an identifier of the machine; the same one for all systems without these files."""
    identity = ""
    with suppress(OSError):
        identity += _BOOT.read_text()
    with suppress(OSError):
        identity += str(_PROCESSES.readlink())
    return digest(identity)[:12]
