"""Download links of versions."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import FileUnknown, VersionUnknown
from playdock.domain.installations.errors import LayerMissing
from playdock.features.links.errors import LinkUnknown, TooManyLinks
from playdock.features.links.schemas import DownloadLinkCreate, DownloadLinkResponse, NewDownloadLink
from playdock.features.links.service import ContentLengths, Links
from playdock.kit.clock import timestamp
from playdock.server.link_address import link_address
from playdock.server.routing import AnyRequest, delete, get, post
from playdock.settings import Settings


@post(
    "/api/v1/versions/{version_id:str}/links",
    requires=Permission.CONTENT_READ,
    status=201,
    raises=[VersionUnknown, FileUnknown, LayerMissing, TooManyLinks],
)
def create_link(
    request: AnyRequest,
    version_id: str,
    data: DownloadLinkCreate,
    actor: Actor,
    *,
    links: Links,
    downloads: ContentLengths,
    settings: Settings,
) -> NewDownloadLink:
    """Create a link with which anyone can download from a version. The link is shown only once."""
    new = links.create(actor, version_id, data, downloads)
    url = f"{link_address(request, settings)}{new.path}"
    return NewDownloadLink(id=new.row.id, url=url, expires=timestamp(new.row.expires), downloads=data.downloads)


@get("/api/v1/user/link", requires=Permission.CONTENT_READ)
def list_links(actor: Actor, links: Links) -> list[DownloadLinkResponse]:
    """List your unexpired download links, oldest first, without their secrets."""
    return [DownloadLinkResponse.of(link) for link in links.own(actor)]


@delete("/api/v1/user/link/{link_id:str}", requires=Permission.CONTENT_READ, raises=[LinkUnknown])
def revoke_link(link_id: str, actor: Actor, links: Links) -> None:
    """Revoke one of your download links."""
    links.revoke(actor, link_id)


ROUTES = (create_link, list_links, revoke_link)
