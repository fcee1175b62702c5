"""The socket on which the service listens: an address with a port, or a path in the file system."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from playdock.kit.errors import Unavailable
from playdock.kit.networks import parsed
from playdock.kit.service_manager import passed_socket
from playdock.kit.web_urls import is_local
from playdock.server.link_address import private_addresses

# The service's user and group may connect; a web server must be a member of the group.
_UNIX_SOCKET_MODE = 0o660
# They stand for all addresses of the machine.
_ANY_HOST = ("0.0.0.0", "::")
_CONTAINER_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))


class AddressInUse(Unavailable):
    """The service cannot listen on the address, for example because another program does."""

    def __init__(self, address: str, reason: str, advice: str) -> None:
        super().__init__(f"Cannot listen on {address}: {reason}. {advice}")


def listen_on_port(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to an address.

    Raises:
        AddressInUse: that is not possible.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is explicit because asyncio sets TCP_NODELAY, which avoids delays, only on sockets that have it set.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    advice = "Choose another with --host and --port."
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise AddressInUse(f"{host} port {port}", _reason(error), advice) from None
    except UnicodeError:
        listening.close()
        raise AddressInUse(f"{host} port {port}", "this is not the name of a host", advice) from None
    listening.set_inheritable(True)
    return listening


class Listening(Struct, frozen=True):
    """A listening socket, and the host and port from which the address of a service without EXTERNAL_URL is made."""

    socket: socket.socket
    host: str
    port: int

    @property
    def is_behind_proxy(self) -> bool:
        """Whether only a reverse proxy on this machine can connect."""
        return self.socket.family == socket.AF_UNIX


@contextmanager
def listening_at(host: str, port: int, unix_socket: Path | None) -> Iterator[Listening]:
    """Listen on the socket that systemd has passed, or else at a path, if that is given, or at an address.

    Raises:
        AddressInUse: the service cannot listen there.
        SeveralSockets: systemd has passed more than one.
    """
    if passed := passed_socket():
        passed.set_inheritable(True)
        with passed:
            is_path = passed.family == socket.AF_UNIX
            yield Listening(passed, host, port) if is_path else Listening(passed, *passed.getsockname()[:2])
        return
    with listening_on_path(unix_socket) if unix_socket else listen_on_port(host, port) as listening:
        yield Listening(listening, host, port)


def default_address(host: str, port: int) -> str:
    """Return the URL of a service without EXTERNAL_URL that listens on a host."""
    if host in (*_ANY_HOST, "127.0.0.1", "::1"):
        return f"http://localhost:{port}"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def network_port(listening: socket.socket) -> int | None:
    """Return the port at which other machines reach a socket, None if only this one does."""
    if listening.family == socket.AF_UNIX:
        return None
    host, port, *_ = listening.getsockname()
    address = parsed(host)
    return None if address is None or address.is_loopback else port


def network_hint(host: str, address: str) -> list[str]:
    """Return lines that say how other machines reach a service without EXTERNAL_URL."""
    if not is_local(address):
        return []
    if host not in _ANY_HOST:
        return [
            "Only this machine can reach it. To let others in, start it with --host 0.0.0.0 (make run ADDRESS=0.0.0.0)."
        ]
    if _is_in_container():
        # Its addresses may not be those of the machine.
        return ["It runs in a container. So that links work on other machines, set EXTERNAL_URL."]
    port = urlsplit(address).port
    return [f"In your network, it is at {url}" for url in (f"http://{each}:{port}" for each in private_addresses())]


def _is_in_container() -> bool:
    """Return whether this process runs in a container of Docker or Podman, which mark them with a file."""
    return any(mark.exists() for mark in _CONTAINER_MARKS)


@contextmanager
def listening_on_path(path: Path) -> Iterator[socket.socket]:
    """Yield a Unix domain socket, and delete it at the end. Raises as `listen_on_path`."""
    with listen_on_path(path) as listening:
        created = path.stat()
        try:
            yield listening
        finally:
            # Another program may have replaced it.
            with suppress(FileNotFoundError):
                if os.path.samestat(path.stat(), created):
                    path.unlink()


def listen_on_path(path: Path) -> socket.socket:
    """Return a Unix domain socket that is listening. One that a service left behind when it was killed is replaced.

    Raises:
        AddressInUse: that is not possible, or another program listens there.
    """
    advice = "Choose another path with --unix-socket."
    if _is_in_use(path):
        raise AddressInUse(str(path), "another program listens there", advice)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o777 & ~_UNIX_SOCKET_MODE)
    try:
        if path.is_socket():
            path.unlink()
        listening.bind(str(path))
        # Otherwise another service that starts now would take it for one that was left behind.
        listening.listen()
    except OSError as error:
        listening.close()
        raise AddressInUse(str(path), _reason(error), advice) from None
    finally:
        os.umask(mask)
    listening.set_inheritable(True)
    return listening


def _is_in_use(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
