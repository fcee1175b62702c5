"""The application: routes, services, errors."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from litestar import Litestar
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.middleware import DefineMiddleware

from playdock.auth.routing import provide_actor
from playdock.features.accounts.routes import ROUTES as ACCOUNTS
from playdock.features.downloads.routes import ROUTES as DOWNLOADS
from playdock.features.game_import.routes import ROUTES as GAME_IMPORT
from playdock.features.invitations.routes import ROUTES as INVITATIONS
from playdock.features.libraries.routes import ROUTES as LIBRARIES
from playdock.features.objects.routes import ROUTES as OBJECTS
from playdock.features.sessions.routes import ROUTES as SESSIONS
from playdock.features.tasks.routes import ROUTES as TASKS
from playdock.features.tasks.socket import watch_tasks
from playdock.features.tokens.routes import ROUTES as TOKENS
from playdock.features.version_import.routes import ROUTES as VERSION_IMPORT
from playdock.kit.errors import PlaydockError
from playdock.web.identify import Identify
from playdock.web.problems import answer_framework, answer_known, answer_unknown
from playdock.web.services import Services

MOST_BODY_BYTES = 12 * 1024 * 1024

ROUTES: Sequence[HTTPRouteHandler] = (
    *ACCOUNTS,
    *DOWNLOADS,
    *GAME_IMPORT,
    *INVITATIONS,
    *LIBRARIES,
    *OBJECTS,
    *SESSIONS,
    *TASKS,
    *TOKENS,
    *VERSION_IMPORT,
)


def build(services: Services) -> Litestar:
    """Make the application around its services."""
    return Litestar(
        route_handlers=[*ROUTES, watch_tasks],
        dependencies=_dependencies(services),
        middleware=[
            DefineMiddleware(Identify, bearers=services.bearers, external_url=services.settings.external_url),
        ],
        exception_handlers={
            PlaydockError: answer_known,
            HTTPException: answer_framework,
            Exception: answer_unknown,
        },
        openapi_config=None,
        logging_config=None,
        request_max_body_size=MOST_BODY_BYTES,
    )


def _dependencies(services: Services) -> dict[str, Provide]:
    """Offer each service under its name, and the actor."""

    def offer(service: Any) -> Provide:
        return Provide(lambda: service, use_cache=True, sync_to_thread=False)

    offered = {field.name: offer(getattr(services, field.name)) for field in fields(services)}
    return {**offered, "actor": Provide(provide_actor, sync_to_thread=False)}
