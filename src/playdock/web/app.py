"""The application: routes, services, errors."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from anyio import to_thread
from litestar import Litestar
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.middleware import DefineMiddleware

from playdock.features.tasks.socket import watch_tasks
from playdock.kit import logging
from playdock.kit.errors import PlaydockError
from playdock.settings import load
from playdock.web.identify import Identify
from playdock.web.options import options_of
from playdock.web.pages import PAGES
from playdock.web.problems import answer_framework, answer_known, answer_unknown
from playdock.web.routes import ROUTES
from playdock.web.services import Services, wire

# Tells each of several server processes how many there are.
PROCESSES = "PLAYDOCK_PROCESSES"
MOST_BODY_BYTES = 12 * 1024 * 1024


def build(services: Services) -> Litestar:
    """Make the application around its services."""
    return Litestar(
        route_handlers=[*options_of(ROUTES), *ROUTES, *PAGES, watch_tasks],
        state=State({"services": services}),
        middleware=[
            DefineMiddleware(Identify, bearers=services.bearers, external_url=services.settings.address),
        ],
        exception_handlers={
            PlaydockError: answer_known,
            HTTPException: answer_framework,
            Exception: answer_unknown,
        },
        lifespan=[partial(_running, services)],
        openapi_config=None,
        logging_config=None,
        request_max_body_size=MOST_BODY_BYTES,
    )


def from_environment() -> Litestar:
    """Make the application of one of several server processes."""
    logging.configure()
    return build(wire(load(), processes=int(os.environ.get(PROCESSES, "1"))))


@asynccontextmanager
async def _running(services: Services, _app: Litestar) -> AsyncIterator[None]:
    """Run background tasks for as long as the application runs."""
    services.runner.start()
    try:
        yield
    finally:
        services.downloads.archives.stop()
        await to_thread.run_sync(services.runner.stop)
        services.password_lane.close()
        for threads in (services.sending_threads, services.unpacking):
            threads.close()
        await to_thread.run_sync(partial(services.compressing.shutdown, cancel_futures=True))
        await to_thread.run_sync(services.link_books.close)
        await to_thread.run_sync(services.transfer_books.close)
        await to_thread.run_sync(services.web.close)
        services.db.close()
