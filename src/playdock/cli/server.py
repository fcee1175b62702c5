"""The commands `serve` and `worker`."""

import os
import resource
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import structlog
import uvicorn

from playdock import __version__
from playdock.cli.listening import Listening, default_address, listening_at, network_hint, network_port
from playdock.cli.opening import open_settings, repeated_while_lost
from playdock.cli.processes import OneProcess, SeveralProcesses
from playdock.configuration import Configuration
from playdock.features.accounts.queries import any_user_exists
from playdock.features.invitations import rules
from playdock.kit.collection import collection_paused
from playdock.kit.memory import keep_less_memory
from playdock.kit.networks import ALL, names_of, parse_networks
from playdock.kit.security_log import SecurityEvent, record, recorded_in
from playdock.kit.stopping import exit_on_signals, exit_within
from playdock.server.connections import ConnectionLimits, Connections
from playdock.server.security_headers import server_headers
from playdock.storage.library_policy import LocationUnusable
from playdock.web.app import (
    DEFAULT_URL,
    MAX_CLOSE_SECONDS,
    METRICS_FOLDER,
    NETWORK_PORT,
    PROCESSES,
    application,
    outermost,
)
from playdock.web.services import Services
from playdock.web.wiring import wire

_log = structlog.get_logger()

# uvicorn restarts workers that do not respond in this time. They do not respond while they import the application,
# which takes longer than uvicorn's default of 5 seconds on a busy machine, so that they would be restarted forever.
_WORKER_RESPONSE_SECONDS = 60
# The messages of the WebSocket contain only a command and an id, which has at most 64 characters.
_MAX_MESSAGE_BYTES = 1024


def serve(configuration: Configuration, *, host: str, port: int, unix_socket: Path | None, workers: int) -> None:
    """Serve until SIGTERM, SIGINT or SIGHUP, at an address or, if it is given, at a Unix domain socket.

    A socket that systemd has passed is used instead.

    Raises:
        AddressInUse: the service cannot listen on the address.
        SeveralSockets: systemd has passed more than one socket.
        DatabaseUnusable: the database cannot be used.
    """
    exit_on_signals()
    keep_less_memory()
    with listening_at(host, port, unix_socket) as listening:
        _serve(configuration, listening, workers=workers)


def _serve(configuration: Configuration, listening: Listening, *, workers: int) -> None:
    _allow_open_files()
    settings = configuration.settings
    changed, is_default = settings.changed, not settings.external_url
    default_url = default_address(listening.host, listening.port)
    reachable_port = network_port(listening.socket)

    def start() -> tuple[Services, uvicorn.Config]:
        with collection_paused(), ExitStack() as on_failure:
            opened = open_settings(configuration)
            on_failure.callback(opened.db.close)
            hint = []
            # It has the default already if the start is repeated.
            if is_default and settings.external_url in ("", default_url):
                settings.external_url = default_url
                hint = [] if listening.is_behind_proxy else network_hint(listening.host, default_url)
            services = on_failure.enter_context(
                closing(wire(settings, server_settings=opened, network_port=reachable_port))
            )
            with recorded_in(services.security_log):
                prepare(services)
                _print_welcome(services, hint)
                record(SecurityEvent.STARTED, release=__version__, settings=changed)
            config = server_config(services, workers=workers, trusts_all=listening.is_behind_proxy)
            # From here on, the application closes them.
            on_failure.pop_all()
        return services, config

    services, config = repeated_while_lost(start, settings)
    try:
        if workers == 1:
            services.resources.callback(exit_within, MAX_CLOSE_SECONDS)
            server = OneProcess(config)
            # Until uvicorn installs its own handler, and when it raises the signal again after stopping.
            signal.signal(signal.SIGTERM, lambda _number, _frame: setattr(server, "should_exit", True))
            server.run(sockets=[listening.socket])
        else:
            services.close()
            os.environ[DEFAULT_URL] = default_url
            os.environ[PROCESSES] = str(workers)
            os.environ[NETWORK_PORT] = str(reachable_port or "")
            hangup = signal.getsignal(signal.SIGHUP)
            processes = SeveralProcesses(config, sockets=[listening.socket])
            # uvicorn's own handler would start other processes.
            signal.signal(signal.SIGHUP, hangup)
            with _shared_metrics() if settings.metrics_token else nullcontext():
                processes.run()
    except KeyboardInterrupt:
        return


@contextmanager
def _shared_metrics() -> Iterator[None]:
    """Let the processes that are started within the context count requests in files of one folder."""
    with TemporaryDirectory(prefix="playdock-metrics-") as folder:
        os.environ[METRICS_FOLDER] = folder
        yield


def work(configuration: Configuration) -> None:
    """Run background tasks until SIGTERM, SIGINT or SIGHUP."""
    keep_less_memory()
    stop = threading.Event()

    def start() -> Services:
        if stop.is_set():
            sys.exit()
        exit_on_signals()
        with ExitStack() as on_failure:
            opened = open_settings(configuration)
            on_failure.callback(opened.db.close)
            services = on_failure.enter_context(closing(wire(opened.settings, server_settings=opened)))
            # From here on, threads are started, which a signal must not interrupt.
            for name in (signal.SIGTERM, signal.SIGINT):
                signal.signal(name, lambda _number, _frame: stop.set())
            services.security_log.start()
            services.node_registry.start(serves=False)
            # From here on, a thread may hang, and nothing needs to be repeated.
            services.resources.callback(exit_within, MAX_CLOSE_SECONDS)
            services.runner.start()
            services.library_watcher.start()
            # From here on, the caller closes them.
            on_failure.pop_all()
        return services

    with closing(repeated_while_lost(start, configuration.settings)):
        stop.wait()


def prepare(services: Services) -> None:
    """Create the secret key if there is none, and the library of the setting LIBRARY.

    If the library's folder is unavailable, print a message and continue, so that everything else is usable.
    """
    services.secret_key.load()
    services.invitations.encrypt_ids()
    folder = services.settings.library
    try:
        if folder:
            services.libraries.establish_first(folder)
    except LocationUnusable as reason:
        message = f"playdock: No library was created for LIBRARY={folder}. {reason} The next start tries again."
        print(message, file=sys.stderr)  # noqa: T201 - for the user at the terminal
    for name, objection in services.libraries.forbidden():
        print(f"playdock: The library {name} is not used. {objection}", file=sys.stderr)  # noqa: T201 - as above


def _print_welcome(services: Services, hint: Sequence[str]) -> None:
    """Print the service's URL, who can reach it, and how to create the first account."""
    lines = [f"Playdock is running at {services.settings.address}", *hint]
    lines += first_account_hint(services)
    if advice := services.client_downloads.content().advice:
        lines.append(f"Players cannot get the client at {services.settings.page('/client')}: {advice}")
    print("\n".join(lines), flush=True)  # noqa: T201 - for the user at the terminal


def first_account_hint(services: Services) -> list[str]:
    """Return lines that explain how to become the first administrator, empty if there are accounts."""
    if not services.settings.simple:
        return _first_openid_account_hint(services)
    invitation = services.invitations.first()
    if invitation is None:
        return []
    url = services.settings.page(rules.page(invitation.id))
    return ["There are no accounts yet. Use this invitation to create the first administrator:", url]


def _first_openid_account_hint(services: Services) -> list[str]:
    with services.db.read() as session:
        if any_user_exists(session):
            return []
    group = services.settings.oidc_admin_group
    if not group:
        return ["There are no accounts yet. Set OIDC_ADMIN_GROUP to a group, whose members become administrators."]
    url = services.settings.page("/auth/oidc")
    return [f"There are no accounts yet. Sign in as a member of {group} to become the first administrator:", url]


def _allow_open_files() -> None:
    """Raise the limit of open files to the system's maximum, because each download uses several."""
    _, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (maximum, maximum))


def server_config(services: Services, *, workers: int, trusts_all: bool = False, app: Any = None) -> uvicorn.Config:
    """Return the configuration of the server. ``app`` replaces the application, for tests.

    ``trusts_all`` is whether every client is a proxy whose X-Forwarded-* headers are trusted.
    """
    settings = services.settings
    proxies = parse_networks(ALL if trusts_all else settings.trusted_proxies)
    return uvicorn.Config(
        outermost(app or application(services), services) if workers == 1 else "playdock.web.app:from_environment",
        factory=workers > 1,
        workers=workers,
        loop="asyncio",
        http=http_protocol(Connections(_connection_limits(), unlimited_networks=proxies)),
        ws="websockets-sansio",
        ws_max_size=_MAX_MESSAGE_BYTES,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        headers=[*server_headers(secure=settings.secure)],
        proxy_headers=bool(proxies),
        # A client at a Unix domain socket has no address; only this includes it.
        forwarded_allow_ips=ALL if trusts_all else names_of(proxies),
        timeout_graceful_shutdown=settings.drain_seconds,
        timeout_worker_healthcheck=_WORKER_RESPONSE_SECONDS,
        backlog=2048,
    )


def _connection_limits() -> ConnectionLimits:
    """Return the limits for the number of files that this process may open."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return ConnectionLimits.within(sys.maxsize if descriptors == resource.RLIM_INFINITY else descriptors)


def http_protocol(connections: Connections) -> Any:
    """Return the protocol with zero-copy sending, or one without it if uvicorn lacks attributes that it uses."""
    chosen: Any = "auto"
    missing = ["module"]
    with suppress(ImportError):
        from playdock.server import limited_protocol, protocol

        missing = limited_protocol.missing_attributes()
        if not missing:
            missing = protocol.missing_attributes()
            chosen = partial(limited_protocol.LimitedProtocol if missing else protocol.ZeroCopyProtocol, connections)
    if missing:
        _log.warning(
            "this version of uvicorn is not supported: zero-copy sending is disabled",
            connections_are_limited=chosen != "auto",
            missing=missing,
        )
    return chosen
