"""``/api/v1/versions/{id}/mirrors`` and ``…/file-links``."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import VersionUnknown
from playdock.features.mirrors.schemas import FileLinks, FileLinksQuery, MirrorsResponse
from playdock.features.mirrors.service import Mirrors
from playdock.server.routing import AnyRequest, get, secret_of


@get("/api/v1/versions/{version_id:str}/mirrors", requires=Permission.CONTENT_READ, raises=[VersionUnknown])
def list_mirrors(request: AnyRequest, version_id: str, actor: Actor, mirrors: Mirrors) -> MirrorsResponse:
    """List the mirrors of a version's own files, with a ticket for them."""
    return mirrors.of_version(actor, version_id, secret=secret_of(request))


@get("/api/v1/versions/{version_id:str}/file-links", requires=Permission.CONTENT_READ, raises=[VersionUnknown])
def list_file_links(version_id: str, query: FileLinksQuery, actor: Actor, mirrors: Mirrors) -> FileLinks:
    """List links to large files in S3, some hundred at a time.

    Anybody can read a file with its link until it expires. There are no links for users with limits, whose downloads
    are counted here.
    """
    return mirrors.file_links(actor, version_id, start=query.start)


ROUTES = (list_mirrors, list_file_links)
