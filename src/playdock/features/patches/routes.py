"""``/api/v1/versions/{id}/patches`` (content, *Patches and compression*)."""

from typing import Any

from litestar import Response
from litestar.response import Stream

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.game_import.schemas import TaskStarted
from playdock.features.games.errors import VersionUnknown
from playdock.features.patches.errors import NoPatches, PatchesFailed, TooManyPatches
from playdock.features.patches.schemas import PatchesAnswer, PatchesQuery
from playdock.features.patches.service import Patches
from playdock.http.routing import AnyRequest, get
from playdock.kit.codings import choose_coding, headers_of, recoded

_SECONDS_TO_WAIT = "2"


@get(
    "/api/v1/versions/{version_id:str}/patches",
    needs=Acl.CONTENT_READ,
    raises=[VersionUnknown, NoPatches, PatchesFailed, TooManyPatches],
    answer=PatchesAnswer,
    later=TaskStarted,
)
def list_patches(
    request: AnyRequest, version_id: str, asked: PatchesQuery, actor: Actor, patches: Patches
) -> Response[Any] | Stream:
    """List the patches from an installed version, or have them made: then the answer is a task, with status 202."""
    stored = patches.find(actor, version_id, asked.from_id)
    if stored is None:
        started = TaskStarted(task_id=patches.begin(actor, version_id, asked.from_id))
        return Response(started, status_code=202, headers={"Retry-After": _SECONDS_TO_WAIT})
    coding = choose_coding(request.headers.get("accept-encoding"))
    headers = {"Cache-Control": "private, no-cache", **headers_of(coding)}
    return Stream(recoded(stored, coding), headers=headers, media_type="application/json")


ROUTES = (list_patches,)
