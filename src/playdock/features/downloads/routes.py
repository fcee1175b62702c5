"""``/api/v1/games/{id}/versions`` and ``/api/v1/versions/{id}/manifest`` (content, *Serving*)."""

from litestar import Response
from litestar.response import Stream

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.downloads.errors import ManifestLost
from playdock.features.downloads.rules import Coding, choose_coding
from playdock.features.downloads.schemas import ManifestAnswer
from playdock.features.downloads.service import Downloads
from playdock.features.games.errors import GameUnknown, VersionUnknown
from playdock.features.games.schemas import VersionAnswer
from playdock.http.routing import AnyRequest, get
from playdock.kit.conditions import is_unchanged


@get("/api/v1/games/{game_id:str}/versions", needs=Acl.CONTENT_READ, raises=[GameUnknown])
def list_versions(game_id: str, actor: Actor, downloads: Downloads) -> list[VersionAnswer]:
    """List the versions of a game, oldest first."""
    return [VersionAnswer.of(row) for row in downloads.versions(actor, game_id)]


@get(
    "/api/v1/versions/{version_id:str}/manifest",
    needs=Acl.CONTENT_READ,
    raises=[VersionUnknown, ManifestLost],
    answer=ManifestAnswer,
    with_head=True,
)
def fetch_manifest(
    request: AnyRequest, version_id: str, actor: Actor, downloads: Downloads
) -> Response[bytes] | Stream:
    """Fetch what the installation of a version consists of."""
    version = downloads.version(actor, version_id)
    coding = choose_coding(request.headers.get("accept-encoding"))
    headers = {
        "ETag": f'"{version.manifest_etag}"',
        "Cache-Control": "private, max-age=31536000, immutable",
        "Vary": "Accept-Encoding",
    }
    if is_unchanged(request.headers.get("if-none-match"), version.manifest_etag):
        return Response(b"", status_code=304, headers=headers)
    if coding is not Coding.IDENTITY:
        headers["Content-Encoding"] = coding.value
    pieces = () if request.method == "HEAD" else downloads.manifest(version, coding)
    return Stream(pieces, headers=headers, media_type="application/json")


ROUTES = (list_versions, fetch_manifest)
