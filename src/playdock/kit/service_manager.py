"""The protocol between systemd and a service: passed sockets, and notifications of its state.

See sd_listen_fds(3) and sd_notify(3). Without systemd nothing is passed, and nobody is notified.
"""

import os
import socket
from collections.abc import MutableMapping
from contextlib import suppress

from playdock.kit.errors import Invalid

# Descriptors of passed sockets begin after those of the standard streams.
_FIRST_DESCRIPTOR = 3


class SeveralSockets(Invalid):
    """systemd has passed more than one socket."""

    def __init__(self, count: int) -> None:
        super().__init__(f"systemd passed {count} sockets. Leave one ListenStream= in the socket unit.")


def passed_socket(environment: MutableMapping[str, str] = os.environ) -> socket.socket | None:
    """Return the listening socket that systemd has passed to this process. It is passed on to no other process.

    Raises:
        SeveralSockets: there are more than one.
    """
    process, count = environment.pop("LISTEN_PID", ""), environment.pop("LISTEN_FDS", "")
    environment.pop("LISTEN_FDNAMES", None)
    if process != str(os.getpid()) or not count.isdecimal() or not int(count):
        return None
    if int(count) > 1:
        raise SeveralSockets(int(count))
    return socket.socket(fileno=_FIRST_DESCRIPTOR)


def notify(state: str) -> None:
    """Tell systemd the state of the service, such as ``READY=1``, if it wants to know."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        # A leading @ stands for the zero byte of an abstract address.
        manager.connect("\0" + address[1:] if address.startswith("@") else address)
        manager.sendall(state.encode())
