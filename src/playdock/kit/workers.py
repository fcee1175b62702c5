"""Worker ids, which identify a process of the service: ``node:machine:process:random``.

Processes of the same node share its cores. A process can check whether another one still exists only on the same
machine, which here means the same host name, boot and process namespace: containers may have the same host name and
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


def default_node() -> str:
    """Return the name of the host, by which a node is known unless the setting NODE names it."""
    return socket.gethostname()


def new_worker_id(node: str) -> str:
    return f"{node}:{_machine()}:{os.getpid()}:{new_id()[:8]}"


def node_of(worker_id: str) -> str:
    return worker_id.partition(":")[0]


def is_dead(worker_id: str) -> bool:
    """Return whether an id is that of a process of this machine that no longer exists; False if that is unknown."""
    parts = worker_id.split(":")
    if len(parts) != _PARTS or parts[1] != _machine() or not parts[2].isdecimal():
        return False
    try:
        os.kill(int(parts[2]), 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False


def _machine() -> str:
    """Return an identifier of the machine; on systems without these files, of all machines with the same host name."""
    identity = socket.gethostname()
    with suppress(OSError):
        identity += _BOOT.read_text()
    with suppress(OSError):
        identity += str(_PROCESSES.readlink())
    return digest(identity)[:12]
