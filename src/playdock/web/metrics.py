"""``/metrics``: figures for Prometheus, for those who have the token of the setting METRICS_TOKEN.

Requests are counted by each process. If there are several, prometheus_client keeps their counts in files of a common
folder, and the process that is asked adds them up. Figures of the whole service come from the database.

Labels have few values: templates of paths, never paths, and names of things that administrators create.
"""

import asyncio
from collections.abc import Iterator, Sequence
from hmac import compare_digest
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

import msgspec
from anyio import CapacityLimiter, to_thread
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Scope, Send
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, ProcessCollector
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from playdock import __version__
from playdock.features.monitoring.service import ServerFigures
from playdock.server.connections import STATE_KEY, ConnectionCount
from playdock.server.exchanges import Exchange
from playdock.server.security_headers import DefaultPolicy
from playdock.web.identify import bearer_of
from playdock.web.problems import MEDIA_TYPE, problem
from playdock.web.services import Services

METRICS_PATH = "/metrics"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# From what nobody notices to what times out. Each route and status has this many series.
_BUCKETS = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0)
_REFRESH_SECONDS = 1.0
# What the bytes of a route are; those of all others are responses of the API or pages.
_KINDS = {
    "/api/v1/versions/{version_id}/content": "content",
    "/api/v1/versions/{version_id}/content/{etag}": "content",
    "/api/v1/versions/{version_id}/files/{path}": "file",
    "/api/v1/versions/{version_id}/archive.zip": "archive",
    "/api/v1/versions/{version_id}/manifest": "manifest",
    "/api/v1/patches/{set_id}": "patch",
    "/api/v1/object/{object_id}": "image",
    "/api/v1/client-downloads/{name}": "client",
}
_API = ("/api/", "/oauth/")


class Metrics:
    """Counts requests of this process, and is the ASGI application that responds with all figures."""

    observes_all = False

    def __init__(self, services: Services, shared_folder: str) -> None:
        """Create the counters. ``shared_folder`` is that of all processes, empty if there is only this one."""
        self._services = services
        self._token = services.settings.metrics_token.encode()
        self._shared_folder = shared_folder
        self._limiter = CapacityLimiter(1)
        own = self._own = CollectorRegistry()
        self._seconds = Histogram(
            "playdock_http_response_start_seconds",
            "Time from a request to the beginning of its response.",
            ("method", "route", "status"),
            buckets=_BUCKETS,
            registry=own,
        )
        self._sent = Counter("playdock_sent_bytes", "Bytes of response bodies.", ("kind",), registry=own)
        self._gauges = {
            name: Gauge(f"playdock_{name}", text, registry=own, multiprocess_mode="livesum")
            for name, text in _PROCESS_GAUGES.items()
        }
        self._connections = ConnectionCount()
        self._refreshing: asyncio.TimerHandle | None = None
        self._timers: dict[tuple[str, str, int], Any] = {}
        self._counters = {kind: self._sent.labels(kind) for kind in {*_KINDS.values(), "api", "page"}}
        if not shared_folder:
            ProcessCollector(registry=own)

    # --- Observing requests ---

    def on_start(self, state: dict[str, Any]) -> None:
        state[STATE_KEY] = self._connections

    def on_sent(self, route: str, count: int) -> None:
        self._refresh_soon()
        self._counters[_KINDS.get(route) or ("api" if route.startswith(_API) else "page")].inc(count)

    def on_end(self, exchange: Exchange) -> None:
        if not exchange.status:
            return
        self._refresh_soon()
        method = exchange.method if exchange.method in _METHODS else "other"
        key = method, exchange.route or "none", exchange.status
        timer = self._timers.get(key)
        if timer is None:
            timer = self._timers[key] = self._seconds.labels(*key)
        timer.observe(exchange.responded - exchange.began)

    def _refresh_soon(self) -> None:
        """Let other processes know the figures of this one a second after something has changed."""
        if self._shared_folder and self._refreshing is None:
            self._refreshing = asyncio.get_running_loop().call_later(_REFRESH_SECONDS, self._refresh)

    def _refresh(self) -> None:
        """Set the figures that only this process knows. Call this in the thread of the event loop."""
        self._refreshing, services = None, self._services
        self._gauges["connections"].set(self._connections.value)
        self._gauges["transfers"].set(services.downloads.transfers.server_limit_status.running)
        self._gauges["password_queue"].set(services.password_threads.waiting)

    # --- Responding ---

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        given = (bearer_of(headers) or "").encode()
        if compare_digest(given, self._token):
            self._refresh()
            encode, media_type = choose_encoder(headers.get("accept", ""))
            content = await to_thread.run_sync(lambda: encode(self._registry()), limiter=self._limiter)
            response = ASGIResponse(
                body=content, encoding="", headers={"Content-Type": media_type, "Cache-Control": "no-store"}
            )
        else:
            response = _refusal()
        await DefaultPolicy(response)(scope, receive, send)

    def _registry(self) -> CollectorRegistry:
        registry = CollectorRegistry()
        if self._shared_folder:
            _forget_ended_processes(Path(self._shared_folder))
            MultiProcessCollector(registry, path=self._shared_folder)  # type: ignore[no-untyped-call]
        else:
            registry.register(cast("Collector", self._own))
        registry.register(_FiguresCollector(self._services.monitoring.figures()))
        return registry


_PROCESS_GAUGES = {
    "connections": "Open connections.",
    "transfers": "Responses with game content that are being sent.",
    "password_queue": "Requests that wait for a password to be hashed.",
}


class _FiguresCollector(Collector):
    """The figures of the whole service as Prometheus's metrics."""

    def __init__(self, figures: ServerFigures) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        figures = self._figures
        yield _gauge("build_info", "The release.", ("version",), [((__version__,), 1)])
        nodes = [((each.name, each.release), each.processes) for each in figures.nodes]
        yield _gauge("nodes", "Running processes of each node and release.", ("node", "release"), nodes)
        tasks = [((each.queue, each.task_type, each.state), each) for each in figures.tasks]
        labels = ("queue", "type", "state")
        yield _gauge("tasks", "Active tasks.", labels, [(key, each.count) for key, each in tasks])
        text = "For how long the first task has been due or running."
        yield _gauge("task_oldest_seconds", text, labels, [(key, each.oldest_seconds) for key, each in tasks])
        yield _gauge("tasks_failed", "Tasks that failed within the last day.", (), [((), figures.failed_tasks)])
        yield _gauge("damaged_versions", "Versions with damaged files.", (), [((), figures.damaged_versions)])
        available = [((each.name,), int(each.is_available)) for each in figures.libraries]
        yield _gauge("library_available", "Whether a library can be used.", ("library",), available)
        sizes = [((each.name,), each.size) for each in figures.caches]
        yield _gauge("cache_bytes", "The size of a cache on disk.", ("cache",), sizes)
        limits = [((each.name,), each.limit) for each in figures.caches]
        yield _gauge("cache_max_bytes", "The limit of a cache.", ("cache",), limits)


def _gauge(
    name: str, text: str, labels: tuple[str, ...], values: Sequence[tuple[tuple[str, ...], float]]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"playdock_{name}", text, labels=labels)
    for key, value in values:
        family.add_metric(key, value)
    return family


def _forget_ended_processes(folder: Path) -> None:
    """Remove the gauges of processes that no longer run. Their counts remain."""
    for file in folder.glob("gauge_live*_*.db"):
        process = file.stem.rpartition("_")[2]
        if not Path(f"/proc/{process}").exists():
            mark_process_dead(int(process), path=str(folder))  # type: ignore[no-untyped-call]


def _refusal() -> ASGIResponse:
    document = problem(
        code="sign-in-required",
        title="Sign in required",
        status=HTTPStatus.UNAUTHORIZED,
        detail="Send the value of METRICS_TOKEN as a bearer token.",
    )
    return ASGIResponse(
        body=msgspec.json.encode(document),
        status_code=HTTPStatus.UNAUTHORIZED,
        media_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store", "WWW-Authenticate": "Bearer"},
    )
