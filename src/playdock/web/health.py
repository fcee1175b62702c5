"""Health endpoints for load balancers and container platforms, answered from memory.

``/health/live`` says that the event loop works, and ``/health/ready`` that this process should receive requests. Both
are outside of the API: they need no credential, are not counted as requests, and work with and without the path of the
external URL, because platforms ask a process directly and not through the reverse proxy.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from http import HTTPStatus

import msgspec
from anyio import CapacityLimiter, to_thread
from litestar.enums import ScopeType
from litestar.response.base import ASGIResponse
from litestar.types import ASGIApp, Receive, Scope, Send
from msgspec import Struct
from sqlalchemy.exc import SQLAlchemyError

from playdock.db.database import Database
from playdock.db.errors import SchemaUnknown
from playdock.db.migrate import is_current
from playdock.server.readiness import Readiness
from playdock.server.security_headers import DefaultPolicy
from playdock.storage.blobs import Blobs, NoSuchBlob
from playdock.storage.probes import ProbePool
from playdock.web.services import Services

LIVE_PATH, READY_PATH = "/health/live", "/health/ready"
# Platforms ask every 5 to 10 seconds, so that a failure is noticed within two of their periods.
_CHECK_SECONDS = 5.0
# A part that takes longer is not usable for requests either.
_MAX_CHECK_SECONDS = 4.0
# A check takes milliseconds; what hangs may not delay the stop.
_MAX_STOP_SECONDS = 0.5
# No blob has this key: what is asked is only whether the storage responds.
_MISSING_KEY = f"health/{'0' * 32}"
_METHODS = ("GET", "HEAD")


class HealthStatus(Struct, frozen=True):
    """The body of the responses. It names parts, without details."""

    status: str
    failed: tuple[str, ...] = ()


class OperatorEndpoints(Struct, frozen=True):
    """ASGI application that answers some paths itself, in front of another one for everything else."""

    app: ASGIApp
    endpoints: Mapping[str, ASGIApp]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP and scope["method"] in _METHODS:
            await self.endpoints.get(scope["path"], self.app)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def operator_endpoints(app: ASGIApp, endpoints: Mapping[str, ASGIApp], url_path: str) -> OperatorEndpoints:
    """Return an application with endpoints, at the root and below the path of the external URL."""
    prefixed = {f"{prefix}{path}": endpoint for prefix in ("", url_path) for path, endpoint in endpoints.items()}
    return OperatorEndpoints(app, prefixed)


def health_endpoints(readiness: Readiness) -> dict[str, ASGIApp]:
    """Return the health endpoints by path."""

    async def send_live(scope: Scope, receive: Receive, send: Send) -> None:
        await _response(HealthStatus("live"))(scope, receive, send)

    async def send_ready(scope: Scope, receive: Receive, send: Send) -> None:
        failed = readiness.failed
        await _response(HealthStatus("not ready" if failed else "ready", failed))(scope, receive, send)

    return {LIVE_PATH: send_live, READY_PATH: send_ready}


def _response(content: HealthStatus) -> ASGIApp:
    response = ASGIResponse(
        body=msgspec.json.encode(content),
        status_code=HTTPStatus.SERVICE_UNAVAILABLE if content.failed else HTTPStatus.OK,
        media_type="application/json",
        headers={"Cache-Control": "no-store"},
    )
    return DefaultPolicy(response)


class HealthChecks(Struct, frozen=True):
    """Checks the parts without which requests fail, and records the result."""

    db: Database
    blobs: Blobs
    readiness: Readiness
    probes: ProbePool[str]

    def check(self) -> None:
        """Check all parts. One that does not respond in time has failed, and is checked again when it has responded."""
        checks = {"database": partial(_fault_of_database, self.db), "objects": partial(_fault_of_objects, self.blobs)}
        found = self.probes.probe(checks, seconds=_MAX_CHECK_SECONDS)
        failed = [found.get(part, part) for part in checks]
        self.readiness.record(tuple(part for part in failed if part))

    async def run(self, stop: asyncio.Event) -> None:
        """Check periodically until the event is set."""
        # The threads of handlers may all hang, which is when the checks matter.
        limiter = CapacityLimiter(1)
        while not stop.is_set():
            await to_thread.run_sync(self.check, abandon_on_cancel=True, limiter=limiter)
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _CHECK_SECONDS)


@asynccontextmanager
async def checking_health(services: Services) -> AsyncIterator[None]:
    """Check the health of the services in the background."""
    checks = HealthChecks(services.db, services.blobs, services.readiness, ProbePool())
    stop = asyncio.Event()
    task = asyncio.create_task(checks.run(stop))
    try:
        yield
    finally:
        stop.set()
        await asyncio.wait({task}, timeout=_MAX_STOP_SECONDS)
        task.cancel()


def _fault_of_database(db: Database) -> str:
    """Return the part that has failed, empty if none has."""
    try:
        return "" if is_current(db) else "schema"
    except SchemaUnknown:
        # A newer release has upgraded the database while this process was running. It extends the schema only in ways
        # that this release can work with, so that nodes can be upgraded one after the other.
        return ""
    except (SQLAlchemyError, OSError):
        return "database"


def _fault_of_objects(blobs: Blobs) -> str:
    # Writing is not tried: a full disk prevents uploads, and must not take downloads away, too.
    try:
        os.close(blobs.descriptor(_MISSING_KEY))
    except NoSuchBlob:
        return ""
    except Exception:  # noqa: BLE001 - whatever a store raises, it cannot be used
        return "objects"
    return ""
