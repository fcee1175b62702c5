"""Errors that the event loop reports."""

import asyncio
import errno
import socket
from typing import Any

from structlog.testing import capture_logs

from playdock.server.loop_errors import LoopErrorHandler

LOOP: Any = None
ACCEPTING = {"message": "socket.accept() out of system resource", "socket": "any"}


def test_too_few_descriptors_write_one_line() -> None:
    handler = LoopErrorHandler()
    with capture_logs() as lines:
        for _ in range(2000):
            handler(LOOP, {**ACCEPTING, "exception": OSError(errno.EMFILE, "Too many open files")})
    assert lines == [
        {"event": "connections cannot be accepted", "reason": "Too many open files", "log_level": "warning"}
    ]


def test_other_errors_are_logged_with_their_traceback() -> None:
    errors = [ValueError("failed"), OSError(errno.EMFILE, "Too many open files")]
    with capture_logs() as lines:
        for error in errors:
            LoopErrorHandler()(LOOP, {"message": "Unhandled", "exception": error})
        LoopErrorHandler()(LOOP, {"message": "Unhandled"})
    assert [(line["message"], line["exc_info"]) for line in lines] == [
        ("Unhandled", error) for error in [*errors, None]
    ]


def test_a_real_loop_reports_that_descriptors_are_missing_to_it() -> None:
    class Exhausted(socket.socket):
        def accept(self) -> tuple[socket.socket, Any]:
            raise OSError(errno.EMFILE, "Too many open files")

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(LoopErrorHandler())
        listening = Exhausted()
        listening.bind(("127.0.0.1", 0))
        server = await asyncio.start_server(lambda _reader, _writer: None, sock=listening, backlog=100)
        with socket.create_connection(listening.getsockname()):
            async with asyncio.timeout(60):
                while not lines:  # noqa: ASYNC110 - nothing reports it
                    await asyncio.sleep(0.001)
        server.close()

    with capture_logs() as lines:
        asyncio.run(run())
    assert [line["event"] for line in lines] == ["connections cannot be accepted"]
