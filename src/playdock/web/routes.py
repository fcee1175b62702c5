"""All routes of the interface."""

from collections.abc import Sequence

from litestar.handlers import HTTPRouteHandler

from playdock.features.accounts.routes import ROUTES as ACCOUNTS
from playdock.features.downloads.routes import ROUTES as DOWNLOADS
from playdock.features.game_import.routes import ROUTES as GAME_IMPORT
from playdock.features.invitations.routes import ROUTES as INVITATIONS
from playdock.features.libraries.routes import ROUTES as LIBRARIES
from playdock.features.objects.routes import ROUTES as OBJECTS
from playdock.features.sessions.routes import ROUTES as SESSIONS
from playdock.features.tasks.routes import ROUTES as TASKS
from playdock.features.tokens.routes import ROUTES as TOKENS
from playdock.features.version_import.routes import ROUTES as VERSION_IMPORT

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
