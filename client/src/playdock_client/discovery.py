"""Servers on the local network, which answer a broadcast query (`playdock.features.lan_discovery`).

Anybody on the network can answer anything. An answer therefore only suggests a server, which the player selects.
"""

import ipaddress
import selectors
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from secrets import token_hex
from urllib.parse import urlsplit

import msgspec

from playdock_client.credentials import address_of
from playdock_client.decoding import decode_json
from playdock_client.errors import ServerUnavailable
from playdock_client.responses import ApiStruct
from playdock_client.transport import is_loopback

# Where the app searches: an IPv4 address and a port; anything else, such as "off", for nowhere.
DISCOVERY_VARIABLE = "PLAYDOCK_DISCOVERY"
_BROADCAST = "255.255.255.255"
_DEFAULT_TARGET = f"{_BROADCAST}:26740"
# The size of a query, and the largest of an answer, as the server says.
_DATAGRAM_BYTES = 512
_MAX_SERVERS = 20
_MAX_NAME_CHARACTERS = 40
# Networks answer within milliseconds; the query is repeated once, because radio networks lose broadcasts.
_SECONDS = 1.0
_QUERIES = 2
# Containers can add hundreds of interfaces.
_MAX_INTERFACES = 32
_LOCAL_NETWORKS = [
    ipaddress.ip_network(each)
    for each in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8")
]
_BIND_TO_DEVICE = getattr(socket, "SO_BINDTODEVICE", None)


class NearbyServer(ApiStruct, frozen=True):
    """A server's normalized address, and what it calls itself."""

    address: str
    name: str


class _Query(msgspec.Struct, frozen=True, tag_field="type", tag="playdock-query"):
    nonce: str


class Answer(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="playdock-server"):
    """An answer as it was sent. A server with several addresses sends the same id from all of them."""

    nonce: str
    id: str
    name: str
    address: str = ""
    port: int = 0
    path: str = ""


def search_target(environment: Mapping[str, str]) -> tuple[str, int] | None:
    """Return where queries are sent to; None if that is turned off."""
    host, _, port = environment.get(DISCOVERY_VARIABLE, _DEFAULT_TARGET).rpartition(":")
    try:
        return str(ipaddress.IPv4Address(host)), int(port)
    except ValueError:
        return None


def nearby_servers(environment: Mapping[str, str]) -> list[NearbyServer]:
    """Search the local network for about a second."""
    target = search_target(environment)
    return list(search(target)) if target else []


def search(target: tuple[str, int], *, seconds: float = _SECONDS) -> Iterator[NearbyServer]:
    """Yield each server once, as soon as it answers."""
    nonce = token_hex(16)
    query = query_datagram(nonce)
    ids: set[str] = set()
    addresses: set[str] = set()
    with _sockets(_interfaces() if target[0] == _BROADCAST else []) as sockets:
        for _ in range(_QUERIES):
            for each in sockets:
                # An interface without a network.
                with suppress(OSError):
                    each.sendto(query, target)
            for data, sender in _datagrams(sockets, seconds / _QUERIES):
                answer = read_answer(data, nonce)
                server = server_of(answer, sender) if answer else None
                if answer and server and answer.id not in ids and server.address not in addresses:
                    ids.add(answer.id)
                    addresses.add(server.address)
                    yield server
                    if len(addresses) == _MAX_SERVERS:
                        return


def query_datagram(nonce: str) -> bytes:
    """Return a query, padded so that no answer is longer."""
    return msgspec.json.encode(_Query(nonce)).ljust(_DATAGRAM_BYTES)


def read_answer(data: bytes, nonce: str) -> Answer | None:
    """Return the answer to the query with a nonce, None if the datagram is none."""
    if len(data) > _DATAGRAM_BYTES:
        return None
    try:
        answer = decode_json(data, Answer)
    except msgspec.MsgspecError:
        return None
    return answer if answer.nonce == nonce else None


def server_of(answer: Answer, sender: str) -> NearbyServer | None:
    """Return the server that an answer describes, None if it is not acceptable."""
    if not any(ipaddress.ip_address(sender) in network for network in _LOCAL_NETWORKS):
        return None
    name = answer.name.strip()
    if not name or len(name) > _MAX_NAME_CHARACTERS or not name.isprintable():
        return None
    given = answer.address or f"http://{sender}:{answer.port}{answer.path}"
    try:
        address = address_of(given)
    except ServerUnavailable:
        return None
    # Another machine's server is not on this one.
    names_this_machine = is_loopback(urlsplit(address).hostname or "") and not is_loopback(sender)
    return None if names_this_machine or "://" not in given else NearbyServer(address, name)


@contextmanager
def _sockets(interfaces: list[dict[str, str]]) -> Iterator[list[socket.socket]]:
    """Yield a socket for each interface, as far as the system allows, and one for the usual route."""
    with ExitStack() as opened:
        sockets: list[socket.socket] = []

        def add(*, device: str = "", address: str = "") -> None:
            found = opened.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            found.setblocking(False)
            found.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            if device and _BIND_TO_DEVICE is not None:
                found.setsockopt(socket.SOL_SOCKET, _BIND_TO_DEVICE, device.encode() + b"\0")
            found.bind((address, 0))
            sockets.append(found)

        for interface in interfaces[:_MAX_INTERFACES]:
            # Old systems reserve that for root.
            with suppress(OSError):
                add(**interface)
        add()
        yield sockets


def _interfaces() -> list[dict[str, str]]:
    """Return the interfaces of this machine: their names on Linux, their addresses elsewhere."""
    if _BIND_TO_DEVICE is not None:
        return [{"device": name} for _, name in socket.if_nameindex()]
    # The name of a machine need not be one that DNS could have.
    with suppress(OSError, UnicodeError):
        return [{"address": each} for each in socket.gethostbyname_ex(socket.gethostname())[2]]
    return []


def _datagrams(sockets: list[socket.socket], seconds: float) -> Iterator[tuple[bytes, str]]:
    """Yield what arrives within a time, with the sender's address."""
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as arriving:
        for each in sockets:
            arriving.register(each, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0:
            for key, _ in arriving.select(left):
                ready = key.fileobj
                assert isinstance(ready, socket.socket)
                try:
                    data, (host, _port) = ready.recvfrom(_DATAGRAM_BYTES + 1)
                except OSError:
                    # Windows reports too large datagrams like this, and queries that nobody wanted.
                    continue
                yield data, host
