"""Routes of the settings page: ``/api/v1/admin/settings``."""

from playdock.auth.actor import Actor
from playdock.auth.errors import RecentSignInRequired
from playdock.auth.permissions import Permission
from playdock.features.server_settings.errors import ProviderTestFailed
from playdock.features.server_settings.schemas import SettingsChanges, SettingsResponse, SettingsTest
from playdock.features.server_settings.service import SettingsPage
from playdock.identity.errors import IdentityProviderUnavailable, IdentityProviderUnusable
from playdock.server.routing import get, patch, post

PATH = "/api/v1/admin/settings"
_CHANGING = (Permission.SETTINGS_UPDATE, Permission.ADMINS_UPDATE)


@get(PATH, requires=Permission.SETTINGS_UPDATE)
def list_settings(actor: Actor, settings_page: SettingsPage) -> SettingsResponse:
    """Return the settings that administrators can change; of secrets only whether they are set."""
    return settings_page.show(actor)


@patch(PATH, requires=_CHANGING, raises=[RecentSignInRequired])
def change_settings(changes: SettingsChanges, actor: Actor, settings_page: SettingsPage) -> SettingsResponse:
    """Change settings, in all processes within seconds, unless they need a restart."""
    return settings_page.change(actor, changes)


@post(
    f"{PATH}/test",
    requires=_CHANGING,
    status=204,
    raises=[RecentSignInRequired, ProviderTestFailed, IdentityProviderUnavailable, IdentityProviderUnusable],
)
def test_settings(test: SettingsTest, actor: Actor, settings_page: SettingsPage) -> None:
    """Test the keys of a metadata provider, or the OpenID provider, before they are saved."""
    settings_page.test(actor, test)


ROUTES = (list_settings, change_settings, test_settings)
