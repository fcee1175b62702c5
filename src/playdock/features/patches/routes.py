"""``/api/v1/versions/{id}/patches``."""

from functools import partial
from typing import Any

from litestar import Response
from litestar.response import Stream

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import VersionUnknown
from playdock.features.game_import.schemas import TaskStarted
from playdock.features.patches.errors import NoPatches, PatchesFailed, PatchesNotMade, TooManyPatches
from playdock.features.patches.schemas import PatchesQuery, PatchesResponse
from playdock.features.patches.service import Patches, RunningTask
from playdock.kit.content_encoding import choose_encoding, headers_of
from playdock.server.object_threads import ObjectThreads
from playdock.server.routing import AnyRequest, get, post

_SECONDS_TO_WAIT = "2"


_PATH = "/api/v1/versions/{version_id:str}/patches"


@get(
    _PATH,
    requires=Permission.CONTENT_READ,
    raises=[VersionUnknown, NoPatches, PatchesNotMade, PatchesFailed],
    response_type=PatchesResponse,
    pending_type=TaskStarted,
)
async def list_patches(
    request: AnyRequest,
    version_id: str,
    query: PatchesQuery,
    actor: Actor,
    patches: Patches,
    *,
    threads: ObjectThreads,
) -> Response[Any] | Stream:
    """List the patches from an installed version. While they are being created, the response is the task (202)."""
    encoding = choose_encoding(request.headers.get("accept-encoding"))
    found = await threads.run(partial(patches.find, actor, version_id, query.from_id, encoding))
    if isinstance(found, RunningTask):
        return _accepted(found.id)
    headers = {"Cache-Control": "private, no-cache", **headers_of(encoding)}
    return Stream(found, headers=headers, media_type="application/json")


@post(
    _PATH,
    requires=Permission.CONTENT_READ,
    status=202,
    raises=[VersionUnknown, NoPatches, PatchesFailed, TooManyPatches],
    response_type=TaskStarted,
)
def make_patches(version_id: str, query: PatchesQuery, actor: Actor, patches: Patches) -> Response[TaskStarted]:
    """Create the patches from an installed version. If a task is creating them already, the response is that task."""
    return _accepted(patches.begin(actor, version_id, query.from_id))


def _accepted(task_id: str) -> Response[TaskStarted]:
    headers = {"Retry-After": _SECONDS_TO_WAIT}
    return Response(TaskStarted(task_id=task_id), status_code=202, headers=headers)


ROUTES = (list_patches, make_patches)
