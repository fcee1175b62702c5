"""All routes of the interface."""

from collections.abc import Sequence

from litestar.handlers import HTTPRouteHandler

from playdock.features.accounts.routes import ROUTES as ACCOUNTS
from playdock.features.artwork.routes import ROUTES as ARTWORK
from playdock.features.collections.routes import ROUTES as COLLECTIONS
from playdock.features.companies.routes import ROUTES as COMPANIES
from playdock.features.damage.routes import ROUTES as DAMAGE
from playdock.features.devices.routes import ROUTES as DEVICES
from playdock.features.downloads.routes import ROUTES as DOWNLOADS
from playdock.features.editing.routes import ROUTES as EDITING
from playdock.features.game_import.routes import ROUTES as GAME_IMPORT
from playdock.features.import_plan.routes import ROUTES as IMPORT_PLAN
from playdock.features.import_run.routes import ROUTES as IMPORT_RUN
from playdock.features.invitations.routes import ROUTES as INVITATIONS
from playdock.features.libraries.routes import ROUTES as LIBRARIES
from playdock.features.links.routes import ROUTES as LINKS
from playdock.features.mechanisms.routes import ROUTES as MECHANISMS
from playdock.features.moved_games.routes import ROUTES as MOVED_GAMES
from playdock.features.objects.routes import ROUTES as OBJECTS
from playdock.features.patches.routes import ROUTES as PATCHES
from playdock.features.reimport.routes import ROUTES as REIMPORT
from playdock.features.sessions.routes import ROUTES as SESSIONS
from playdock.features.statistics.routes import ROUTES as STATISTICS
from playdock.features.store.routes import ROUTES as STORE
from playdock.features.tags.routes import ROUTES as TAGS
from playdock.features.tasks.routes import ROUTES as TASKS
from playdock.features.tokens.routes import ROUTES as TOKENS
from playdock.features.traffic.routes import ROUTES as TRAFFIC
from playdock.features.version_import.routes import ROUTES as VERSION_IMPORT

ROUTES: Sequence[HTTPRouteHandler] = (
    *ACCOUNTS,
    *ARTWORK,
    *COLLECTIONS,
    *COMPANIES,
    *DAMAGE,
    *DEVICES,
    *DOWNLOADS,
    *EDITING,
    *GAME_IMPORT,
    *IMPORT_PLAN,
    *IMPORT_RUN,
    *INVITATIONS,
    *LIBRARIES,
    *LINKS,
    *MECHANISMS,
    *MOVED_GAMES,
    *OBJECTS,
    *PATCHES,
    *REIMPORT,
    *SESSIONS,
    *STATISTICS,
    *STORE,
    *TAGS,
    *TASKS,
    *TOKENS,
    *TRAFFIC,
    *VERSION_IMPORT,
)
