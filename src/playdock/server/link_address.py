"""The address with which links begin that people send to each other, and addresses of this machine in its network."""

import socket
from collections.abc import Iterator
from ipaddress import ip_address
from urllib.parse import urlsplit

from playdock.auth.actor import CredentialKind
from playdock.kit.web_urls import is_local
from playdock.server.origins import visited_origin
from playdock.server.routing import AnyConnection, actor_of
from playdock.settings import Settings

# One in each private network, and one in the internet (RFC 1918, RFC 5737). Nothing is sent to them: they only select
# the interface, whose address is read.
DESTINATIONS: tuple[str, ...] = ("192.168.255.254", "10.255.255.254", "172.31.255.254", "192.0.2.1")
# A connection of a machine to itself is accepted or refused immediately.
_CONNECT_SECONDS = 0.5


def link_address(connection: AnyConnection, settings: Settings) -> str:
    """Return the URL with which links begin: EXTERNAL_URL, or the address that the caller visits if that is local."""
    actor, visited = actor_of(connection), visited_origin(connection.headers)
    is_session = actor is not None and actor.credential.kind is CredentialKind.SESSION
    if visited is None or not is_session or not is_local(settings.address):
        return settings.address
    return f"{visited}{settings.url_path}"


def network_urls(address: str) -> list[str]:
    """Return ``address`` with the private addresses of this machine at which its port accepts connections."""
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    suffix = f":{parts.port}" if parts.port else ""
    return [f"{parts.scheme}://{host}{suffix}{parts.path}" for host in private_addresses() if _accepts(host, port)]


def private_addresses() -> list[str]:
    """Return the private IPv4 addresses of this machine that its routes use, except loopback."""
    return list(dict.fromkeys(_used_addresses()))


def _used_addresses() -> Iterator[str]:
    for destination in DESTINATIONS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((destination, 9))
            except OSError:
                continue
            host: str = probe.getsockname()[0]
        if is_in_private_network(host):
            yield host


def is_in_private_network(host: str) -> bool:
    """Return whether other machines of a private network can use an address, but not the internet."""
    found = ip_address(host)
    return found.is_private and not (found.is_loopback or found.is_link_local or found.is_unspecified)


def _accepts(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=_CONNECT_SECONDS).close()
    except OSError:
        return False
    return True
