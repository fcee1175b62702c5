"""The server reads any bytes as h11 does, or rejects them.

h11 is an independent implementation of HTTP/1.1. What it takes for a request, with which header and body, is compared
with what the application gets, and the responses are read with it. The server may reject more than h11 does.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import h11
import hypothesis
from hypothesis import given, settings
from hypothesis import strategies as st

from wire import Echo, Edge, Seen

_IS_THOROUGH = settings.get_current_profile_name() == "thorough"
_EXAMPLES = 30_000 if _IS_THOROUGH else 200

METHODS = ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "get", "G ET", "CONNECT", "PRI", ""]
TARGETS = ["/", "/a/b?c=d&e", "/%2e%2e/", "*", "http://h/a", "//h/a", "/a b", "/\x7f", "/ä", "", "?", "h:80", "/#x"]
VERSIONS = ["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTP/1.1", ""]
LINES = [
    "Host: h", "Host: h", "Host:", "host : h", "Host: h\r\n folded", "Content-Length: 0", "Content-Length: 3",
    "Content-Length: +3", "Content-Length: 3, 3", "Content-Length: 0x3", "Content-Length: 99999999999999999999",
    "Transfer-Encoding: chunked", "Transfer-Encoding: Chunked", "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: chunked, gzip", "Transfer-Encoding:\x0bchunked", "Transfer-Encoding: identity",
    "Connection: close", "Connection: keep-alive", "Connection: Upgrade", "Upgrade: h2c", "Expect: 100-continue",
    "Range: bytes=0-9", "X: y", "X:", "X: \t y \t ", "X y", ": x", "X: \x00", "X: \x7f", "X: ä", "X\x00: y", "\tX: y",
]  # fmt: skip
ENDS = ["\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "\r\n\r\n", " \r\n", ""]
CHUNKS = [
    "3\r\nabc\r\n", "1\r\nx\r\n", "3;e=f\r\nabc\r\n", "3 \r\nabc\r\n", "0003\r\nabc\r\n", "+3\r\nabc\r\n",
    "3\nabc\n", "3\r\nabcd\r\n", "-1\r\n", "x\r\n", "fffffffffffffffff\r\n", "0\r\n\r\n", "0\r\n\r\n", "0\r\n\r\n",
    "0\r\nX: trailer\r\n\r\n", "0\r\nHost: h\r\n\r\n", "0\r\nX trailer\r\n\r\n", "0\r\n",
]  # fmt: skip


@dataclass
class Reading:
    """What h11 reads: requests, and whether it takes the next bytes for an error."""

    requests: list[Seen] = field(default_factory=list)
    is_error: bool = False


@st.composite
def heads(draw: st.DrawFn) -> str:
    """A header that is usually valid except for one thing."""
    line = f"{draw(st.sampled_from(METHODS[:3] * 4 + METHODS))} {draw(st.sampled_from(TARGETS[:2] * 4 + TARGETS))} "
    lines = [line + draw(st.sampled_from(VERSIONS))]
    lines += draw(st.lists(st.sampled_from(["Host: h"]), min_size=1, max_size=1) | st.just([]))
    lines += draw(st.lists(st.sampled_from(LINES), max_size=4))
    if draw(st.booleans()):
        return "\r\n".join(lines) + "\r\n\r\n"
    return "".join(line + draw(st.sampled_from(ENDS)) for line in lines) + "\r\n"


bodies = st.lists(st.sampled_from([*CHUNKS, "abc", "abc", "\r\n", ""]), max_size=4).map("".join)
messages = st.tuples(heads(), bodies).map("".join)
simple = st.sampled_from(
    [
        "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nRange: bytes=0-9\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    ]
)
texts = st.lists(simple | messages, min_size=1, max_size=4).map("".join)


@st.composite
def streams(draw: st.DrawFn) -> list[bytes]:
    """Pieces of bytes that look like requests, sometimes with other bytes in between."""
    data = bytearray(draw(texts).encode("latin-1"))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        start = draw(st.integers(0, len(data)))
        data[start : start + draw(st.integers(0, 3))] = draw(st.binary(max_size=3) | st.sampled_from([b"\r\n", b"\0"]))
    cuts = sorted(draw(st.sets(st.integers(0, len(data)), max_size=6)))
    return [bytes(data[start:end]) for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


def read_by_h11(data: bytes) -> Reading:
    """Return what h11 takes for complete requests. Empty lines before one are ignored (RFC 9112, section 2.2)."""
    reading = Reading()
    try:
        while data := data.lstrip(b"\r\n"):
            connection = h11.Connection(h11.SERVER, max_incomplete_event_size=10**6)
            connection.receive_data(data)
            seen = _next(connection)
            if seen is None:
                break
            reading.requests.append(seen)
            connection.send(h11.Response(status_code=404, headers=[("content-length", "0")]))
            connection.send(h11.EndOfMessage())
            if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
                break
            data, _ = connection.trailing_data
    except h11.RemoteProtocolError:
        reading.is_error = True
    return reading


def _next(connection: h11.Connection) -> Seen | None:
    request, body = None, bytearray()
    while True:
        event = connection.next_event()
        if isinstance(event, h11.Request):
            request = event
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            assert request is not None
            version = request.http_version.decode()
            return Seen(request.method.decode(), request.target, version, tuple(request.headers), bytes(body))
        else:
            return None


def responses(sent: bytes, methods: Sequence[str]) -> list[tuple[int, bytes]]:
    """Return the statuses and bodies of responses, of which one more than there are methods may be an error."""
    connection = h11.Connection(h11.CLIENT)
    if sent:
        connection.receive_data(sent)
    found = []
    for method in [*methods, "GET"]:
        # A response to CONNECT is like any other: the server is no proxy.
        connection.send(h11.Request(method="HEAD" if method == "HEAD" else "GET", target="/", headers=[("Host", "h")]))
        connection.send(h11.EndOfMessage())
        event = connection.next_event()
        while isinstance(event, h11.InformationalResponse):
            event = connection.next_event()
        if event is h11.NEED_DATA:
            break
        assert isinstance(event, h11.Response)
        status, body = event.status_code, bytearray()
        while isinstance(event := connection.next_event(), h11.Data):
            body += event.data
        assert isinstance(event, h11.EndOfMessage)
        found.append((status, bytes(body)))
        if connection.their_state is h11.MUST_CLOSE:
            break
        connection.start_next_cycle()
    assert connection.trailing_data[0] == b"", "Something was sent after the last response."
    return found


@dataclass(frozen=True, slots=True)
class Served:
    """What the application has seen, what the server has sent, and whether it has closed the connection."""

    seen: list[Seen]
    sent: bytes
    is_closed: bool


def serve(pieces: Sequence[bytes], *, zero_copy: bool) -> Served:
    app = Echo()

    async def run() -> Served:
        wire = Edge(app, zero_copy=zero_copy).connect()
        await wire.receive(pieces)
        return Served(list(app.seen), bytes(wire.sent), wire.is_ended or wire.is_closing())

    return asyncio.run(run())


def normalized(seen: Seen) -> Seen:
    """Return a request as both describe it.

    The server reduces a URL to its path, and ignores the fragment. h11 writes transfer codings in lower case.
    """
    target = seen.target.partition(b"#")[0].removeprefix(b"http://h").removesuffix(b"?")
    headers = tuple(
        (name.lower(), value.strip().lower() if name.lower() == b"transfer-encoding" else value.strip())
        for name, value in seen.headers
    )
    return Seen(seen.method, target, seen.version, headers, seen.body)


@settings(max_examples=_EXAMPLES, suppress_health_check=list(hypothesis.HealthCheck))
@given(pieces=streams(), zero_copy=st.booleans())
def test_any_bytes_are_read_as_h11_reads_them_or_rejected(pieces: list[bytes], *, zero_copy: bool) -> None:
    expected = read_by_h11(b"".join(pieces))
    served = serve(pieces, zero_copy=zero_copy)

    ours = [normalized(each) for each in served.seen]
    theirs = [normalized(each) for each in expected.requests]
    assert ours == theirs[: len(ours)]
    if expected.is_error or len(ours) < len(theirs):
        assert served.is_closed

    found = responses(served.sent, [each.method for each in served.seen])
    bodies = [b"" if each.method == "HEAD" else each.body for each in served.seen]
    assert found[: len(bodies)] == [(200, body) for body in bodies]
    errors = [status for status, _ in found[len(bodies) :]]
    assert errors in ([], [400], [501], [505])
    assert served.is_closed or not errors


@settings(max_examples=_EXAMPLES)
@given(pieces=st.lists(st.binary(max_size=100), max_size=10), zero_copy=st.booleans())
def test_arbitrary_bytes_never_raise_an_error(pieces: list[bytes], *, zero_copy: bool) -> None:
    served = serve(pieces, zero_copy=zero_copy)
    responses(served.sent, [each.method for each in served.seen])
