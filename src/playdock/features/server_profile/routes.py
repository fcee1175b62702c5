"""``/api/v1/server``: what the server calls itself."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.accounts.errors import PictureRefused
from playdock.features.server_profile.schemas import LogoForm, ServerProfileChanges, ServerProfileResponse
from playdock.features.server_profile.service import ServerProfiles
from playdock.server.routing import Caller, delete, get, patch, post


@get("/api/v1/server", requires=Caller.ANYBODY)
def show_server_profile(profiles: ServerProfiles) -> ServerProfileResponse:
    """Return the server's name, greeting and logo."""
    return profiles.show()


@patch("/api/v1/admin/server", requires=Permission.SETTINGS_UPDATE)
def change_server_profile(
    changes: ServerProfileChanges, actor: Actor, profiles: ServerProfiles
) -> ServerProfileResponse:
    """Change the server's name and greeting."""
    return profiles.change(actor, changes)


@post("/api/v1/admin/server/logo", requires=Permission.SETTINGS_UPDATE, raises=[PictureRefused], processes_images=True)
def upload_server_logo(form: LogoForm, actor: Actor, profiles: ServerProfiles) -> ServerProfileResponse:
    """Replace the server's logo."""
    return profiles.replace_logo(actor, form.files[0].data)


@delete("/api/v1/admin/server/logo", requires=Permission.SETTINGS_UPDATE)
def remove_server_logo(actor: Actor, profiles: ServerProfiles) -> None:
    """Remove the server's logo."""
    profiles.remove_logo(actor)


ROUTES = (show_server_profile, change_server_profile, upload_server_logo, remove_server_logo)
