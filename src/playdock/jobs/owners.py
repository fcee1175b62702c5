"""Owners: the names under which runners hold tasks, ``host:machine:process:chance``.

Runners of one host share its cores. Only those of one machine, which is a running system and the processes that are
seen in it, can look whether the other's process still runs: containers may share a host's name and nothing else.
"""

import os
import socket
from contextlib import suppress
from pathlib import Path

from playdock.kit.secrets import digest, new_id

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_PROCESSES = Path("/proc/self/ns/pid")
_PARTS = 4


def new_owner() -> str:
    return f"{socket.gethostname()}:{_machine()}:{os.getpid()}:{new_id()[:8]}"


def host_of(owner: str) -> str:
    return owner.partition(":")[0]


def is_dead(owner: str) -> bool:
    """Tell whether a runner was a process of this machine that is there no more. In doubt it lives."""
    parts = owner.split(":")
    if len(parts) != _PARTS or parts[:2] != [socket.gethostname(), _machine()] or not parts[2].isdecimal():
        return False
    try:
        os.kill(int(parts[2]), 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False


def _machine() -> str:
    """Give a word for the machine; the same everywhere where the system does not tell."""
    told = ""
    with suppress(OSError):
        told += _BOOT.read_text()
    with suppress(OSError):
        told += str(_PROCESSES.readlink())
    return digest(told)[:12]
