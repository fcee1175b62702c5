"""The commands `serve` and `worker`."""

import os
import resource
import signal
import socket
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import Any

import msgspec
import structlog
import uvicorn
from uvicorn.supervisors import Multiprocess

from playdock.cli.opening import bring_up_to_date, wait_for_database
from playdock.features.accounts.queries import any_user_exists
from playdock.features.invitations import rules
from playdock.kit.collection import collection_paused
from playdock.kit.errors import Unavailable
from playdock.server.security_headers import server_headers
from playdock.settings import Settings
from playdock.storage.backends import LocationUnusable
from playdock.web.app import PROCESSES, application
from playdock.web.services import Services, wire

_log = structlog.get_logger()

# Downloads are aborted after this time when the service stops; clients resume them.
_GRACEFUL_SHUTDOWN_SECONDS = 1
# uvicorn restarts workers that do not respond in this time. They do not respond while they import the application,
# which takes longer than uvicorn's default of 5 seconds on a busy machine, so that they would be restarted forever.
_WORKER_RESPONSE_SECONDS = 60
# The messages of the WebSocket contain only a command and an id, which has at most 64 characters.
_MAX_MESSAGE_BYTES = 1024


class AddressInUse(Unavailable):
    """The service cannot listen on the address, for example because another program does."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(f"Cannot listen on {host} port {port}: {reason}. Choose another with --host and --port.")


def serve(settings: Settings, *, host: str, port: int, workers: int) -> None:
    """Serve until SIGTERM or SIGINT.

    Raises:
        AddressInUse: the service cannot listen on the address.
        DatabaseUnusable: the database cannot be used.
    """
    with _listen(host, port) as listening:
        _serve(settings, listening, port=port, workers=workers)


def _serve(settings: Settings, listening: socket.socket, *, port: int, workers: int) -> None:
    _allow_open_files()
    if not settings.external_url:
        settings = msgspec.structs.replace(settings, external_url=f"http://localhost:{port}")
    with collection_paused():
        services = wire(settings)
        prepare(services)
        _print_welcome(services)
        signal.signal(signal.SIGTERM, _ignore)
        config = server_config(services, workers=workers)
    try:
        if workers == 1:
            uvicorn.Server(config).run(sockets=[listening])
        else:
            services.close()
            os.environ["EXTERNAL_URL"] = settings.external_url
            os.environ[PROCESSES] = str(workers)
            Multiprocess(config, sockets=[listening]).run()
    except KeyboardInterrupt:
        return


def work(settings: Settings) -> None:
    """Run background tasks until SIGTERM or SIGINT."""
    services = wire(settings)
    wait_for_database(services.db, seconds=settings.database_wait_seconds)
    bring_up_to_date(services)
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda _number, _frame: stop.set())
    services.runner.start()
    stop.wait()
    services.close()


def prepare(services: Services) -> None:
    """Upgrade the database if necessary, and create the library of the setting LIBRARY.

    If the library's folder is unavailable, print a message and continue, so that everything else is usable.
    """
    wait_for_database(services.db, seconds=services.settings.database_wait_seconds)
    bring_up_to_date(services)
    folder = services.settings.library
    try:
        if folder:
            services.libraries.establish_first(folder)
    except LocationUnusable as reason:
        message = f"playdock: No library was created for LIBRARY={folder}. {reason} The next start tries again."
        print(message, file=sys.stderr)  # noqa: T201 - for the user at the terminal


def _print_welcome(services: Services) -> None:
    """Print the service's URL, and how to create the first account."""
    lines = [f"Playdock is running at {services.settings.address}"]
    lines += first_account_hint(services)
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


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is explicit because asyncio sets TCP_NODELAY, which avoids delays, only on sockets that have it set.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise AddressInUse(host, port, (error.strerror or str(error)).lower()) from None
    except UnicodeError:
        listening.close()
        raise AddressInUse(host, port, "this is not the name of a host") from None
    listening.set_inheritable(True)
    return listening


def _allow_open_files() -> None:
    """Raise the limit of open files to the system's maximum, because each download uses several."""
    _, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (maximum, maximum))


def server_config(services: Services, *, workers: int, app: Any = None) -> uvicorn.Config:
    """Return the configuration of the server. ``app`` replaces the application, for tests."""
    proxies = services.settings.trusted_proxies
    return uvicorn.Config(
        (app or application(services)) if workers == 1 else "playdock.web.app:from_environment",
        factory=workers > 1,
        workers=workers,
        loop="asyncio",
        http=http_protocol(),
        ws="websockets-sansio",
        ws_max_size=_MAX_MESSAGE_BYTES,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        headers=[*server_headers(secure=services.settings.secure)],
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies or None,
        timeout_graceful_shutdown=_GRACEFUL_SHUTDOWN_SECONDS,
        timeout_worker_healthcheck=_WORKER_RESPONSE_SECONDS,
        backlog=2048,
    )


def http_protocol() -> Any:
    """Return the protocol with zero-copy sending, or the default one if uvicorn lacks attributes that it uses."""
    missing = ["module"]
    with suppress(ImportError):
        from playdock.server import protocol

        missing = protocol.missing_attributes()
        if not missing:
            return protocol.ZeroCopyProtocol
    _log.warning("zero-copy sending is disabled: this version of uvicorn is not supported", missing=missing)
    return "auto"


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Ignore the signal that uvicorn raises again after stopping, so that the process exits with status 0."""
