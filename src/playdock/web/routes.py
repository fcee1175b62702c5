"""All routes of the API."""

from collections.abc import Sequence

from playdock.features.accounts.routes import ROUTES as ACCOUNTS
from playdock.features.audit_log.routes import ROUTES as AUDIT_LOG
from playdock.features.bulk_import.routes import ROUTES as BULK_IMPORT
from playdock.features.client_downloads.routes import ROUTES as CLIENT_DOWNLOADS
from playdock.features.companies.routes import ROUTES as COMPANIES
from playdock.features.damage.routes import ROUTES as DAMAGE
from playdock.features.delivery.routes import ROUTES as DELIVERY
from playdock.features.device_installations.routes import ROUTES as DEVICE_INSTALLATIONS
from playdock.features.devices.routes import ROUTES as DEVICES
from playdock.features.downloads.routes import ROUTES as DOWNLOADS
from playdock.features.drop_bridge.depot_routes import DEPOT_ROUTES as DEPOT
from playdock.features.drop_bridge.routes import BROWSER_ROUTES as DROP_BROWSER
from playdock.features.drop_bridge.routes import CLIENT_ROUTES as DROP_CLIENT
from playdock.features.drop_bridge.save_routes import SAVE_ROUTES as DROP_SAVES
from playdock.features.editing.routes import ROUTES as EDITING
from playdock.features.event_streams.routes import ROUTES as EVENT_STREAMS
from playdock.features.feeds.routes import ROUTES as FEEDS
from playdock.features.game_collections.routes import ROUTES as COLLECTIONS
from playdock.features.game_import.routes import ROUTES as GAME_IMPORT
from playdock.features.game_requests.routes import ROUTES as GAME_REQUESTS
from playdock.features.game_table.routes import ROUTES as GAME_TABLE
from playdock.features.invitations.routes import ROUTES as INVITATIONS
from playdock.features.libraries.routes import ROUTES as LIBRARIES
from playdock.features.library_files.routes import ROUTES as LIBRARY_FILES
from playdock.features.library_preview.routes import ROUTES as LIBRARY_PREVIEW
from playdock.features.library_scans.routes import ROUTES as LIBRARY_SCANS
from playdock.features.links.routes import ROUTES as LINKS
from playdock.features.lost_versions.routes import ROUTES as LOST_VERSIONS
from playdock.features.media.routes import ROUTES as MEDIA
from playdock.features.mirrors.routes import ROUTES as MIRRORS
from playdock.features.moved_games.routes import ROUTES as MOVED_GAMES
from playdock.features.moving_out.routes import ROUTES as MOVING_OUT
from playdock.features.news.routes import ROUTES as NEWS
from playdock.features.notifications.routes import ROUTES as NOTIFICATIONS
from playdock.features.old_versions.routes import ROUTES as OLD_VERSIONS
from playdock.features.patches.routes import ROUTES as PATCHES
from playdock.features.play_records.routes import ROUTES as PLAY_RECORDS
from playdock.features.provider_pictures.routes import ROUTES as PROVIDER_PICTURES
from playdock.features.release_notes.routes import ROUTES as RELEASE_NOTES
from playdock.features.reports.routes import ROUTES as REPORTS
from playdock.features.saved_games.routes import ROUTES as SAVED_GAMES
from playdock.features.server_profile.routes import ROUTES as SERVER_PROFILE
from playdock.features.server_settings.routes import ROUTES as SERVER_SETTINGS
from playdock.features.sessions.routes import ROUTES as SESSIONS
from playdock.features.sign_in_methods.routes import ROUTES as SIGN_IN_METHODS
from playdock.features.store.routes import ROUTES as STORE
from playdock.features.tags.routes import ROUTES as TAGS
from playdock.features.tasks.routes import ROUTES as TASKS
from playdock.features.tokens.routes import ROUTES as TOKENS
from playdock.features.unimported_files.routes import ROUTES as UNIMPORTED_FILES
from playdock.features.uploads.routes import ROUTES as UPLOADS
from playdock.features.version_import.routes import ROUTES as VERSION_IMPORT
from playdock.features.version_unpacking.routes import ROUTES as VERSION_UNPACKING
from playdock.features.webhooks.routes import ROUTES as WEBHOOKS
from playdock.server.routing import Route
from playdock.settings import Settings

ROUTES: Sequence[Route] = (
    *ACCOUNTS,
    *AUDIT_LOG,
    *BULK_IMPORT,
    *CLIENT_DOWNLOADS,
    *COLLECTIONS,
    *COMPANIES,
    *DAMAGE,
    *DELIVERY,
    *DEVICES,
    *DEVICE_INSTALLATIONS,
    *DOWNLOADS,
    *DROP_BROWSER,
    *EDITING,
    *FEEDS,
    *EVENT_STREAMS,
    *GAME_IMPORT,
    *GAME_REQUESTS,
    *GAME_TABLE,
    *INVITATIONS,
    *LIBRARIES,
    *LIBRARY_PREVIEW,
    *LIBRARY_SCANS,
    *LINKS,
    *MEDIA,
    *MIRRORS,
    *MOVED_GAMES,
    *LOST_VERSIONS,
    *MOVING_OUT,
    *NEWS,
    *NOTIFICATIONS,
    *PATCHES,
    *PLAY_RECORDS,
    *PROVIDER_PICTURES,
    *SAVED_GAMES,
    *SERVER_PROFILE,
    *SERVER_SETTINGS,
    *SESSIONS,
    *SIGN_IN_METHODS,
    *REPORTS,
    *STORE,
    *TAGS,
    *TASKS,
    *TOKENS,
    *UPLOADS,
    *LIBRARY_FILES,
    *OLD_VERSIONS,
    *RELEASE_NOTES,
    *VERSION_UNPACKING,
    *UNIMPORTED_FILES,
    *VERSION_IMPORT,
    *WEBHOOKS,
)

# Drop's own protocol, which is not in the description of this API.
DROP_ROUTES: Sequence[Route] = (*DROP_CLIENT, *DEPOT, *DROP_SAVES)


def routes_of(settings: Settings) -> Sequence[Route]:
    """Return the routes that a service with these settings has."""
    if settings.drop_clients:
        return (*ROUTES, *DROP_ROUTES)
    return [route for route in ROUTES if route not in DROP_BROWSER]
