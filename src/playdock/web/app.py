"""The ASGI application: routes, services, middleware and error handlers."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from anyio import CapacityLimiter, to_thread
from litestar import Litestar
from litestar.exceptions import HTTPException
from litestar.middleware import DefineMiddleware
from litestar.types import ASGIApp

from playdock.configuration import read
from playdock.db.database import Database
from playdock.domain.server_settings.service import ServerSettings
from playdock.features.drop_bridge.websocket import code_socket
from playdock.features.notifications.websocket import notification_socket
from playdock.features.tasks.websocket import task_socket
from playdock.kit import log_config
from playdock.kit.errors import PlaydockError
from playdock.kit.memory import keep_less_memory
from playdock.kit.service_manager import notify
from playdock.kit.stopping import exit_within, hangup_handler, stop_with_parent
from playdock.server.access_log import AccessLog
from playdock.server.exchanges import Exchanges, Observer
from playdock.server.injection import ServiceRegistry
from playdock.server.loop_errors import LoopErrorHandler
from playdock.server.request_reading import ClientDisconnected
from playdock.server.security_headers import DefaultPolicy
from playdock.web.below_path import below_path
from playdock.web.draining import LastResponses, drain_on_signals
from playdock.web.health import checking_health, health_endpoints, operator_endpoints
from playdock.web.hot_ranges import HotRanges
from playdock.web.identify import AuthenticationMiddleware
from playdock.web.options import options_of
from playdock.web.pages import pages
from playdock.web.problems import respond_to_disconnect, respond_to_error, respond_to_http_error, respond_to_unexpected
from playdock.web.routes import routes_of
from playdock.web.services import Services
from playdock.web.wiring import wire

# The environment variable with the number of server processes.
PROCESSES = "PLAYDOCK_PROCESSES"
# The environment variable with the URL of the service if the setting EXTERNAL_URL is not set.
DEFAULT_URL = "PLAYDOCK_DEFAULT_URL"
# The environment variable with the port at which other machines reach them, empty if they cannot.
NETWORK_PORT = "PLAYDOCK_NETWORK_PORT"
# The environment variable with the folder in which server processes count requests together, if there are several.
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
# For requests outside the API, such as pages, which have no body; every API route has its own limit.
MAX_BODY_BYTES = 16_384
# A process that drains for the default of 5 seconds ends in less than the 10 seconds after which container engines kill
# it: half a second until the process that started the others notices the signal, pauses of the server, and this.
MAX_CLOSE_SECONDS = 3.0


def build(services: Services) -> Litestar:
    """Return the framework's application with the given services.

    Raises:
        UnresolvedDependency: a handler has a parameter whose type does not select exactly one service.
    """
    registry = ServiceRegistry(services)
    routes = routes_of(services.settings)
    return Litestar(
        route_handlers=[
            *options_of(routes),
            *(route.bind(registry) for route in routes),
            *pages(registry, services.settings),
            task_socket(services.tasks, services.credentials),
            *([code_socket(services.drop_sign_ins)] if services.settings.drop_clients else []),
            notification_socket(services.notifications, services.credentials),
        ],
        middleware=[
            DefineMiddleware(
                AuthenticationMiddleware,
                credentials=services.credentials,
                request_rate=services.request_rate,
                security_log=services.security_log,
                settings=services.settings,
            ),
        ],
        exception_handlers={
            ClientDisconnected: respond_to_disconnect,
            PlaydockError: respond_to_error,
            HTTPException: respond_to_http_error,
            Exception: respond_to_unexpected,
        },
        lifespan=[partial(_running, services)],
        openapi_config=None,
        logging_config=None,
        request_max_body_size=MAX_BODY_BYTES,
    )


def application(services: Services) -> HotRanges:
    """Return the ASGI application for requests without the path of the external URL.

    It is `HotRanges` in front of the framework's application.
    """
    routed = DefaultPolicy(build(services))
    return HotRanges(routed, services.db, services.credentials, services.downloads, services.readiness)


def outermost(app: ASGIApp, services: Services) -> ASGIApp:
    """Return the application that the server calls, for requests with the path of the external URL."""
    url_path = services.settings.url_path
    endpoints = health_endpoints(services.readiness)
    observers: list[Observer] = [AccessLog()] if services.settings.access_log else []
    if services.settings.metrics_token:
        from playdock.web.metrics import METRICS_PATH, Metrics

        endpoints[METRICS_PATH] = metrics = Metrics(services, os.environ.get(METRICS_FOLDER, ""))
        observers.append(metrics)
    answering = operator_endpoints(Exchanges(below_path(app, url_path), observers), endpoints, url_path)
    return LastResponses(answering, services.readiness)


def from_environment() -> ASGIApp:
    """Return the application of one of several server processes."""
    keep_less_memory()
    configuration = read()
    settings = configuration.settings
    log_config.configure(settings.log_level, settings.log_format)
    signal.signal(signal.SIGHUP, hangup_handler())
    # A terminal sends it to all processes; the one that has started the others tells them to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stop_with_parent()
    network_port = int(os.environ.get(NETWORK_PORT) or 0) or None
    server_settings = ServerSettings(Database(settings.database), configuration)
    server_settings.load()
    if not settings.external_url:
        settings.external_url = os.environ.get(DEFAULT_URL, "")
    services = wire(
        settings,
        server_settings=server_settings,
        processes=int(os.environ.get(PROCESSES, "1")),
        network_port=network_port,
    )
    services.resources.callback(exit_within, MAX_CLOSE_SECONDS)
    return outermost(application(services), services)


@asynccontextmanager
async def _running(services: Services, _app: Litestar) -> AsyncIterator[None]:
    """Run background tasks for as long as the application runs."""
    asyncio.get_running_loop().set_exception_handler(LoopErrorHandler())
    drain_on_signals(services)
    services.security_log.start()
    services.node_registry.start(serves=True)
    services.runner.start()
    services.library_watcher.start()
    try:
        async with (
            services.lan_discovery.answering(),
            services.share_exchange.running(),
            services.server_settings.following(),
            checking_health(services),
        ):
            notify("READY=1")
            yield
    finally:
        # With a limiter of its own, because all other threads may hang.
        await to_thread.run_sync(services.close, limiter=CapacityLimiter(1))
