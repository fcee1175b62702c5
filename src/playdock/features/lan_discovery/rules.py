"""Which datagrams are queries, and the answers to them. The client's side is `playdock_client.discovery`."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from playdock.kit.networks import is_in, parse_networks
from playdock.kit.web_urls import is_local

# IANA has assigned 26490 to 26999 to nobody. Ports from 32768 on may be in use by chance: systems select them for
# outgoing connections.
PORT = 26_740
# Every host must accept datagrams of 576 bytes (RFC 791), with headers. Queries are padded to this size, so that an
# answer, which is at most as long, gives somebody who forges the sender nothing.
QUERY_BYTES = 512
# Private (RFC 1918), link-local and loopback: nobody in the internet is answered.
_LOCAL_NETWORKS = parse_networks("10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, 127.0.0.0/8")


class ServerQuery(Struct, frozen=True, tag_field="type", tag="playdock-query"):
    """A query. The answer repeats its nonce."""

    nonce: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]


class ServerAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="playdock-server"):
    """An answer: the server's address, or its port and path if the sender's address leads to it.

    The id is the same in all answers of a process, which may have several addresses.
    """

    nonce: str
    id: str
    name: str
    address: str = ""
    port: int = 0
    path: str = ""


def read_query(data: bytes, sender: str) -> ServerQuery | None:
    """Return the query in a datagram, None if it is not one that may be answered."""
    if len(data) != QUERY_BYTES or not is_in(sender, _LOCAL_NETWORKS):
        return None
    try:
        return msgspec.json.decode(data, type=ServerQuery)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def answer_to(query: ServerQuery, *, server_id: str, name: str, url: str, path: str, port: int) -> bytes | None:
    """Return the answer to a query, None if it is longer than the query.

    ``url`` is that of the service with its ``path``, which nobody else can use if it is local; ``port`` is where the
    service listens.
    """
    answer = ServerAnswer(nonce=query.nonce, id=server_id, name=name)
    if is_local(url):
        answer = msgspec.structs.replace(answer, port=port, path=path)
    else:
        answer = msgspec.structs.replace(answer, address=url)
    data = msgspec.json.encode(answer)
    return data if len(data) <= QUERY_BYTES else None
