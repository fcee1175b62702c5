"""Requests of a connection that are answered without being parsed, with a small application instead of the service."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from playdock.sending.limits import DownloadLimiter, Limits, TransferPermit
from playdock.server.connections import ConnectionLimits, Connections, TimeLimits
from playdock.server.protocol import ZeroCopyProtocol
from playdock.server.repeated_requests import ReadyResponse, RepeatedRequest, offer_to_repeat

IDLE_SECONDS = 0.4
LARGE = 8 * 1024 * 1024
NOTHING: Any = None


def request(span: str = "0-9", *, method: str = "GET", more: str = "", version: str = "1.1") -> bytes:
    return f"{method} /file HTTP/{version}\r\nHost: h\r\nRange: bytes={span}\r\n{more}\r\n".encode()


@dataclass
class Application:
    """Responds to a range with its own name, and notes who responded: the application, or its function."""

    seen: list[str] = field(default_factory=list)
    running: int = 0
    body: bytes = b""
    refuses: bool = False
    fails: bool = False
    limiter: DownloadLimiter = field(default_factory=lambda: DownloadLimiter(Limits()))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        message, body = await receive(), b""
        while message["more_body"]:
            message, body = await receive(), body + message["body"]
        body += message["body"]
        span = dict(scope["headers"]).get(b"range", b"bytes=").removeprefix(b"bytes=") + body
        self.seen.append(f"{scope['method']} {span.decode()}")
        if scope["method"] == "GET":
            offer_to_repeat(scope, self.repeat)
        await send({"type": "http.response.start", "status": 206, "headers": [(b"content-length", b"%d" % len(span))]})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else span})

    def repeat(self, requested: bytes, server_lines: bytes) -> ReadyResponse | None:
        if self.fails:
            raise OSError("The database is away.")
        if self.refuses:
            return None
        span = requested.removeprefix(b"bytes=")
        self.seen.append(f"again {span.decode()}")
        content = span + self.body
        head = b"HTTP/1.1 206 Partial Content\r\n%bcontent-length: %d\r\n\r\n" % (server_lines, len(content))
        return ReadyResponse(head + content, self.permit())

    def permit(self) -> TransferPermit:
        permit = self.limiter.admit_now("ada", Limits(), lambda _: None)
        assert permit is not None
        return permit

    @property
    def transfers(self) -> int:
        return self.limiter.status.running


@dataclass
class Client:
    """A connection to the application."""

    app: Application
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def ask(self, data: bytes) -> bytes:
        self.writer.write(data)
        return await self.answer()

    async def answer(self, *, without_body: bool = False) -> bytes:
        head = (await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), 20)).decode()
        assert head.startswith("HTTP/1.1 206 Partial Content\r\n"), head
        length = next(line for line in head.split("\r\n") if line.startswith("content-length")).split(": ")[1]
        return b"" if without_body else await asyncio.wait_for(self.reader.readexactly(int(length)), 20)

    async def is_closed(self, *, within: float = 20.0) -> bool:
        try:
            return await asyncio.wait_for(self.reader.read(1), within) == b""
        except TimeoutError:
            return False


@asynccontextmanager
async def connected(app: Application) -> AsyncIterator[Client]:
    config = uvicorn.Config(app, log_config=None, access_log=False)
    config.load()
    state = ServerState()
    state.default_headers = [(b"date", b"today")]
    loop = asyncio.get_running_loop()
    times = TimeLimits(idle=IDLE_SECONDS, interval=IDLE_SECONDS / 10)
    connections = Connections(ConnectionLimits(10, 10), times=times)
    options: Any = {"config": config, "server_state": state, "app_state": {}}
    server = await loop.create_server(lambda: ZeroCopyProtocol(connections, **options), "127.0.0.1", 0)
    connection = socket.socket()
    # A small window, so that the server's socket becomes full.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    connection.setblocking(False)
    await loop.sock_connect(connection, server.sockets[0].getsockname())
    reader, writer = await asyncio.open_connection(sock=connection, limit=65536)
    try:
        yield Client(app, reader, writer)
    finally:
        writer.close()
        server.close()


def run(test: Callable[[Client], Awaitable[None]], app: Application | None = None) -> Application:
    """Run a test whose connection has made two requests, so that the next ones are repeated."""
    app = app or Application()

    async def prepared() -> None:
        async with connected(app) as client:
            for _ in range(2):
                assert await client.ask(request("0-0")) == b"0-0"
            app.seen.clear()
            await test(client)

    asyncio.run(prepared())
    return app


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110 - nothing reports it
            await asyncio.sleep(0.005)


REPEATED = [b"bytes=0-0", b"bytes=5-1000000000000000000", b"bytes=9-3"]
CHANGED = [
    request("-5"),
    request("5-"),
    request("0-1,3-4"),
    request("0-10000000000000000000"),
    request("0-0 "),
    request("0-0", more="X: y\r\n"),
    request("0-0", method="HEAD"),
    request("0-0", version="1.0"),
    request("0-0") + request("1-1"),
    request("0-0") + b"G",
    request("0-0")[:-1],
    request("0-0", more="Range: bytes=1-1\r\n"),
    b"",
]
WITHOUT_FORM = [
    request("0-0")[:-2],
    request("0-0") + request("0-0"),
    request("0-0") + b"body",
    request("-5"),
    request("0-0", more="Range: bytes=1-1\r\n"),
    b"GET / HTTP/1.1\r\nHost: h\r\n\r\n",
    b"",
]


@pytest.mark.parametrize("value", REPEATED)
def test_only_the_range_may_differ(value: bytes) -> None:
    repeated = RepeatedRequest.of(request("0-0"), NOTHING)
    assert repeated is not None
    assert repeated.range_of(request(value.decode().removeprefix("bytes="))) == value


@pytest.mark.parametrize("other", CHANGED)
def test_another_request_is_not_a_repeated_one(other: bytes) -> None:
    repeated = RepeatedRequest.of(request("0-0"), NOTHING)
    assert repeated is not None
    assert repeated.range_of(other) is None


@pytest.mark.parametrize("received", WITHOUT_FORM)
def test_an_invalid_or_pipelined_request_is_not_repeated(received: bytes) -> None:
    assert RepeatedRequest.of(received, NOTHING) is None


def test_repeated_requests_do_not_reach_the_application() -> None:
    async def test(client: Client) -> None:
        assert [await client.ask(request(f"{n}-{n}")) for n in range(3)] == [b"0-0", b"1-1", b"2-2"]

    assert run(test).seen == ["again 0-0", "again 1-1", "again 2-2"]


def test_other_requests_in_between_reach_the_application() -> None:
    async def test(client: Client) -> None:
        client.writer.write(request("1-1", method="HEAD"))
        assert await client.answer(without_body=True) == b""
        assert await client.ask(request("2-2", more="X: y\r\n")) == b"2-2"
        assert await client.ask(request("3-3", method="POST", more="Content-Length: 4\r\n") + b"body") == b"3-3body"
        assert await client.ask(request("4-4")) == b"4-4"
        assert await client.ask(request("5-5")) == b"5-5"

    assert run(test).seen == ["HEAD 1-1", "GET 2-2", "POST 3-3body", "GET 4-4", "again 5-5"]


def test_pipelined_requests_are_answered_in_order() -> None:
    async def test(client: Client) -> None:
        client.writer.write(b"".join(request(f"{n}-{n}") for n in range(50)))
        assert [await client.answer() for _ in range(50)] == [b"%d-%d" % (n, n) for n in range(50)]

    run(test)


@pytest.mark.parametrize("cut", [1, 5, 20, len(request()) - 3, len(request()) - 1])
def test_a_request_in_two_parts_is_parsed(cut: int) -> None:
    async def test(client: Client) -> None:
        client.writer.write(request("7-7")[:cut])
        await asyncio.sleep(0.05)
        assert await client.ask(request("7-7")[cut:]) == b"7-7"
        assert await client.ask(request("8-8")) == b"8-8"

    assert run(test).seen[0] == "GET 7-7"


def test_the_body_of_another_request_is_not_mistaken_for_a_repeated_one() -> None:
    async def test(client: Client) -> None:
        inner = request("1-1")
        client.writer.write(request("0-0", method="POST", more=f"Content-Length: {len(inner)}\r\n"))
        await asyncio.sleep(0.05)
        assert await client.ask(inner) == b"0-0" + inner

    assert not any(seen.startswith("again") for seen in run(test).seen)


@pytest.mark.parametrize("state", [{"refuses": True}, {"fails": True}])
def test_requests_that_cannot_be_repeated_reach_the_application(state: dict[str, bool]) -> None:
    async def test(client: Client) -> None:
        assert await client.ask(request("7-7")) == b"7-7"

    assert run(test, Application(**state)).seen == ["GET 7-7"]  # type: ignore[arg-type]


@pytest.mark.parametrize("closing", [{"more": "Connection: close\r\n"}, {"version": "1.0"}])
def test_a_connection_is_closed_on_request(closing: dict[str, str]) -> None:
    async def test(client: Client) -> None:
        assert await client.ask(request("7-7", **closing)) == b"7-7"
        assert await client.is_closed()

    assert run(test).seen == ["GET 7-7"]


def test_a_long_request_is_always_parsed() -> None:
    async def test(client: Client) -> None:
        for _ in range(3):
            assert await client.ask(request("7-7", more=f"X: {'y' * 9000}\r\n")) == b"7-7"

    assert run(test).seen == ["GET 7-7"] * 3


def test_a_slow_client_keeps_its_permit_until_everything_is_sent() -> None:
    async def test(client: Client) -> None:
        client.writer.write(request("7-7"))
        await until(lambda: bool(client.app.seen))
        assert client.app.transfers == 1
        client.writer.write(request("8-8"))
        await asyncio.sleep(0.1)
        assert client.app.seen[0] == "again 7-7"
        assert [await client.answer(), await client.answer()] == [b"7-7" + bytes(LARGE), b"8-8"]
        await until(lambda: client.app.transfers == 0)

    # The second request found a full socket, and the application responded as soon as it was empty.
    assert run(test, Application(body=bytes(LARGE))).seen == ["again 7-7", "GET 8-8"]


def test_a_disconnected_client_releases_its_permit() -> None:
    async def test(client: Client) -> None:
        client.writer.write(request("7-7"))
        await until(lambda: client.app.transfers == 1)
        client.writer.transport.abort()
        await until(lambda: client.app.transfers == 0)

    run(test, Application(body=bytes(LARGE)))


def test_a_connection_is_closed_if_it_is_idle_since_the_last_repeated_request() -> None:
    async def test(client: Client) -> None:
        for number in range(10):
            assert await client.ask(request(f"{number}-{number}")) == b"%d-%d" % (number, number)
            await asyncio.sleep(IDLE_SECONDS / 4)
        assert await client.is_closed()

    assert len(run(test).seen) == 10
