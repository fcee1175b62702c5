"""Which user a connection on this machine comes from. Only Linux tells."""

import os
import sys
from pathlib import Path

_CONNECTIONS = Path("/proc/net/tcp")
# The fields of a line: number, local address, remote address, state, queues, timer, retransmits, user id.
_LOCAL, _REMOTE, _USER = 1, 2, 7
_LOOPBACK = "0100007F" if sys.byteorder == "little" else "7F000001"


def is_of_another_user(peer_port: int, own_port: int) -> bool:
    """Return whether another user connects from a port of 127.0.0.1 to one of this process."""
    if sys.platform != "linux":
        return False
    try:
        lines = _CONNECTIONS.read_text().splitlines()[1:]
    except OSError:
        return False
    return user_of(lines, peer_port, own_port) != os.getuid()


def user_of(lines: list[str], peer_port: int, own_port: int) -> int | None:
    """Return the user of a connection in the lines of ``/proc/net/tcp``, or None if it is not among them."""
    ends = [f"{_LOOPBACK}:{port:04X}" for port in (peer_port, own_port)]
    found = (each.split() for each in lines)
    return next((int(each[_USER]) for each in found if [each[_LOCAL], each[_REMOTE]] == ends), None)
