"""What ids of requests, metrics and the access log cost, in processor time beside that of a whole call."""

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from bench.requests import SECONDS, in_turn, requests_per_second
from bench.servers import Service, service
from bench.table import Row
from playdock.server import access_log
from playdock.server.access_log import AccessLog
from playdock.server.exchanges import Exchange, Exchanges, Observer, exchange_of
from playdock.settings import Settings
from playdock.web.metrics import Metrics
from playdock.web.wiring import wire

_REQUESTS = 20_000
_PATH = "/api/v1/user"


def measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="playdock-bench-") as folder:
        with service(Path(folder)) as served:
            _whole_call(served)
            whole = sorted(_whole_call(served) for _ in range(5))[2]
        settings = Settings(data_dir=Path(folder) / "other", metrics_token="x" * 32)
        with closing(wire(settings)) as services, Path(os.devnull).open("w") as nowhere:
            access_log._log = structlog.wrap_logger(  # noqa: SLF001 - as configured for JSON
                structlog.WriteLogger(nowhere),
                processors=[
                    structlog.processors.add_log_level,
                    structlog.processors.TimeStamper(fmt="iso", utc=True),
                    structlog.processors.JSONRenderer(),
                ],
            )
            yield _row("its id and `X-Request-Id`", whole, [])
            yield _row("its id and metrics", whole, [Metrics(services, "")])
            yield _row("its id and the access log as JSON", whole, [AccessLog()])


def _row(name: str, whole: float, observers: Sequence[Observer]) -> Row:
    ours, baseline = in_turn(partial(_microseconds, Exchanges(_respond, observers)), partial(_microseconds, _respond))
    cost = ours - baseline
    return Row(
        f"processor time of a request for {name}",
        f"{cost:.1f} µs",
        f"`GET {_PATH}` as a whole: {whole:.0f} µs",
        f"{cost / whole:.3f}",
        "",
    )


def _whole_call(server: Service) -> float:
    before = server.running.processor_seconds()
    rate = requests_per_second(f"{server.running.address}{_PATH}", connections=8, token=server.token)
    return 1e6 * (server.running.processor_seconds() - before) / (rate * SECONDS)


def _microseconds(app: Any) -> float:
    """Return the processor time of an ASGI application for one request."""

    async def run() -> float:
        before = time.process_time()
        for _ in range(_REQUESTS):
            scope = {"type": "http", "method": "GET", "path": _PATH, "raw_path": _PATH.encode(), "client": ("::1", 1)}
            await app(scope, _receive, _send)
        return 1e6 * (time.process_time() - before) / _REQUESTS

    return asyncio.run(run())


async def _respond(scope: Any, _receive: Any, send: Any) -> None:
    exchange: Exchange | None = exchange_of(scope)
    if exchange:
        exchange.route = _PATH
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"null", "more_body": False})


async def _receive() -> Any:
    return {"type": "http.disconnect"}


async def _send(_message: Any) -> None:
    """Drop what is sent."""
