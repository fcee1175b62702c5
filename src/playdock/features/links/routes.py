"""Signed links to bytes of versions (content, *Serving*)."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.games.errors import FileUnknown, VersionUnknown
from playdock.features.installations.errors import LayerLost
from playdock.features.links.errors import LinkUnknown, TooManyLinks
from playdock.features.links.schemas import DownloadLinkAnswer, DownloadLinkDraft, NewDownloadLink
from playdock.features.links.service import Lengths, Links
from playdock.http.routing import delete, get, post
from playdock.kit.clock import timestamp


@post(
    "/api/v1/versions/{version_id:str}/links",
    needs=Acl.CONTENT_READ,
    status=201,
    raises=[VersionUnknown, FileUnknown, LayerLost, TooManyLinks],
)
def create_link(
    version_id: str, draft: DownloadLinkDraft, actor: Actor, links: Links, downloads: Lengths
) -> NewDownloadLink:
    """Make an address that gives bytes of a version to whoever has it; it is shown this once."""
    made = links.create(actor, version_id, draft, downloads)
    return NewDownloadLink(id=made.row.id, url=made.url, expires=timestamp(made.row.expires), downloads=draft.downloads)


@get("/api/v1/user/link", needs=Acl.CONTENT_READ)
def list_links(actor: Actor, links: Links) -> list[DownloadLinkAnswer]:
    """List the own living signed links, oldest first, without their secrets."""
    return [DownloadLinkAnswer.of(each) for each in links.own(actor)]


@delete("/api/v1/user/link/{link_id:str}", needs=Acl.CONTENT_READ, raises=[LinkUnknown])
def revoke_link(link_id: str, actor: Actor, links: Links) -> None:
    """Revoke one of the own signed links."""
    links.revoke(actor, link_id)


ROUTES = (create_link, list_links, revoke_link)
