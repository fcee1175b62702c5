"""``/api/v1/versions/{id}/mirrors``."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import VersionUnknown
from playdock.features.mirrors.schemas import MirrorsResponse
from playdock.features.mirrors.service import Mirrors
from playdock.server.routing import AnyRequest, get, secret_of


@get("/api/v1/versions/{version_id:str}/mirrors", requires=Permission.CONTENT_READ, raises=[VersionUnknown])
def list_mirrors(request: AnyRequest, version_id: str, actor: Actor, mirrors: Mirrors) -> MirrorsResponse:
    """List the mirrors of a version's own files, with a ticket for them."""
    return mirrors.of_version(actor, version_id, secret=secret_of(request))


ROUTES = (list_mirrors,)
