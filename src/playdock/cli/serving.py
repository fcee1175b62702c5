"""Serving, and running background tasks."""

import os
import resource
import signal
import socket
import sys
import threading
from types import FrameType

import msgspec
import uvicorn
from uvicorn.supervisors import Multiprocess

from playdock.cli.opening import bring_up_to_date
from playdock.features.accounts.queries import any_user
from playdock.features.invitations import rules
from playdock.http.protocol import SendingProtocol
from playdock.kit.errors import Unavailable
from playdock.settings import Settings
from playdock.storage.backends import PlaceUnusable
from playdock.web.app import PROCESSES, build
from playdock.web.services import Services, wire

_SECONDS_FOR_OPEN_REQUESTS = 1
_LONGEST_MESSAGE = 65_536


class AddressInUse(Unavailable):
    """Another program listens where the service should."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(f"Cannot listen on {host} port {port}: {reason}. Choose another with --host and --port.")


def serve(settings: Settings, *, host: str, port: int, workers: int) -> None:
    """Serve until told to stop.

    Raises:
        AddressInUse: nobody can listen there.
        DatabaseUnusable: the database cannot be used.
    """
    listening = _listen(host, port)
    _allow_open_files()
    if not settings.external_url:
        settings = msgspec.structs.replace(settings, external_url=f"http://localhost:{port}")
    services = wire(settings)
    prepare(services)
    _welcome(services)
    signal.signal(signal.SIGTERM, _ignore)
    config = server_config(services, workers=workers)
    try:
        if workers == 1:
            uvicorn.Server(config).run(sockets=[listening])
        else:
            services.db.close()
            os.environ["EXTERNAL_URL"] = settings.external_url
            os.environ[PROCESSES] = str(workers)
            Multiprocess(config, sockets=[listening]).run()
    except KeyboardInterrupt:
        return


def work(settings: Settings) -> None:
    """Run background tasks until told to stop."""
    services = wire(settings)
    bring_up_to_date(services)
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda _number, _frame: stop.set())
    services.runner.start()
    stop.wait()
    services.downloads.archives.stop()
    services.runner.stop()
    services.web.close()
    services.db.close()


def prepare(services: Services) -> None:
    """Bring the database up to date and make the library that the settings name.

    A share that is away must not keep people from all the rest, so a library that cannot be made is only told of.
    """
    bring_up_to_date(services)
    place = services.settings.library
    try:
        if place:
            services.libraries.establish_first(place)
    except PlaceUnusable as reason:
        told = f"playdock: LIBRARY names {place}, and no library was made of it. {reason} The next start tries again."
        print(told, file=sys.stderr)  # noqa: T201 - for the person at the terminal


def _welcome(services: Services) -> None:
    """Tell where the service is, and how the first admin gets in."""
    lines = [f"Playdock is at {services.settings.address}"]
    lines += way_in(services)
    print("\n".join(lines), flush=True)  # noqa: T201 - for the person at the terminal


def way_in(services: Services) -> list[str]:
    """Give lines that tell how the first admin gets in, as long as nobody has an account."""
    if not services.settings.simple:
        return _way_in_by_openid(services)
    invitation = services.invitations.first()
    if invitation is None:
        return []
    url = services.settings.page(rules.page(invitation.id))
    return ["Nobody has an account yet. Become the first admin with this invitation:", url]


def _way_in_by_openid(services: Services) -> list[str]:
    with services.db.read() as session:
        if any_user(session):
            return []
    group = services.settings.oidc_admin_group
    if not group:
        return ["Nobody has an account yet, and nobody can become an admin: set OIDC_ADMIN_GROUP to a group's name."]
    url = services.settings.page("/auth/oidc")
    return [f"Nobody has an account yet. Become the first admin by signing in as a member of {group}:", url]


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named because asyncio sends small answers at once (TCP_NODELAY) only on sockets that name it.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise AddressInUse(host, port, (error.strerror or str(error)).lower()) from None
    listening.set_inheritable(True)
    return listening


def _allow_open_files() -> None:
    """Take all the open files that the system allows: each download holds a few."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def server_config(services: Services, *, workers: int) -> uvicorn.Config:
    proxies = services.settings.trusted_proxies
    return uvicorn.Config(
        build(services) if workers == 1 else "playdock.web.app:from_environment",
        factory=workers > 1,
        workers=workers,
        loop="asyncio",
        http=SendingProtocol,
        ws="websockets-sansio",
        ws_max_size=_LONGEST_MESSAGE,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies or None,
        timeout_graceful_shutdown=_SECONDS_FOR_OPEN_REQUESTS,
        backlog=2048,
    )


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Take the signal that the server raises again once it has stopped: the process then ends with status 0."""
