"""``/api/v1/user/saves`` and ``/api/v1/user/games/{id}/saves``: the saved games of the caller."""

from functools import partial
from sys import maxsize
from typing import Any

from litestar import Response

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.bodies import FileBody
from playdock.domain.games.errors import GameUnknown
from playdock.features.saved_games.errors import (
    SaveChanged,
    SaveConflict,
    SaveLost,
    SavesFull,
    SaveTooLarge,
    SaveUnknown,
)
from playdock.features.saved_games.receiving import SaveReception
from playdock.features.saved_games.schemas import SaveResponse, SavesQuery, SavesResponse, SaveUpload
from playdock.features.saved_games.service import Destination, OwnSave, SavedGames, served
from playdock.kit.disposition import attachment
from playdock.kit.errors import PreconditionFailed, RangeNotSatisfiable
from playdock.kit.storage_failures import StorageUnusable
from playdock.models import SavedGame
from playdock.sending.files import ContentMismatch
from playdock.sending.limits import TooManyDownloads
from playdock.server.body_receiving import receive_body
from playdock.server.file_response import Representation, Sender
from playdock.server.object_threads import ObjectThreads
from playdock.server.routing import AnyRequest, delete, get, post

_PATH = "/api/v1/user/saves"
_OCTETS = "application/octet-stream"
_THREADS = "objects"
_IMMUTABLE = "private, max-age=31536000, immutable"


@get(_PATH, requires=Permission.SAVES_READ)
def list_saves(query: SavesQuery, actor: Actor, saved_games: SavedGames) -> SavesResponse:
    """List your saved games by game and slot, newest first."""
    own = saved_games.list_all(actor, game_id=query.game)
    return SavesResponse(saves=[_response(each) for each in own.saves], used=own.used, most=own.most)


@post(
    "/api/v1/user/games/{game_id:str}/saves",
    requires=Permission.SAVES_UPDATE,
    status=201,
    raises=[GameUnknown, SaveConflict, SavesFull, SaveTooLarge, SaveChanged, StorageUnusable],
    max_body_bytes=maxsize,
    response_type=SaveResponse,
)
async def upload_save(
    request: AnyRequest,
    game_id: str,
    query: SaveUpload,
    actor: Actor,
    saved_games: SavedGames,
    *,
    threads: ObjectThreads,
) -> Response[SaveResponse]:
    """Upload a save, which becomes the newest of its slot. The body is an archive of any form.

    If another save has become the newest since the one in `basedOn`, the upload is kept aside, and the response is the
    error `save-conflict`.
    """
    to = Destination(game_id, query.slot, query.based_on or None)
    saved = await receive_save(request, actor, to, saved_games, threads, sha256=query.sha256)
    return Response(_response(saved), status_code=201)


async def receive_save(
    request: AnyRequest,
    actor: Actor,
    to: Destination,
    saved_games: SavedGames,
    threads: ObjectThreads,
    *,
    sha256: str = "",
) -> OwnSave:
    """Receive the body of a request as a save."""
    length = request.headers.get("content-length", "")
    size = int(length) if length.isdecimal() else 0
    await threads.run(partial(saved_games.check_upload, actor, to.game_id, size=size))
    reception = SaveReception(saved_games, actor, to, sha256=sha256)
    await receive_body(request, reception, threads)
    assert reception.saved is not None
    return reception.saved


@get(
    f"{_PATH}/{{save_id:str}}/content",
    requires=Permission.SAVES_READ,
    raises=[SaveUnknown, SaveLost, PreconditionFailed, RangeNotSatisfiable, TooManyDownloads, StorageUnusable],
    media_type=_OCTETS,
    ranges=True,
)
async def fetch_save(
    request: AnyRequest, save_id: str, actor: Actor, saved_games: SavedGames, threads: ObjectThreads
) -> Response[bytes]:
    """Fetch the content of a save."""
    save = await threads.run(partial(saved_games.find, actor, save_id))
    return await send_save(request, actor, save, saved_games)


async def send_save(request: AnyRequest, actor: Actor, save: SavedGame, saved_games: SavedGames) -> Response[Any]:
    """Return the response with the content of a save. Raises SaveLost if the storage does not have it."""
    name = f"save-{save.created:%Y-%m-%d-%H%M}"
    headers = {"Cache-Control": _IMMUTABLE, "Content-Disposition": attachment(name)}
    found = Representation(FileBody(served(save)), save.checksum, _OCTETS, headers)
    sender = Sender(saved_games.threads.of(_THREADS), saved_games.opener(), lambda _: None)
    try:
        return await sender.respond(request, found, admit=partial(saved_games.admit, actor))
    except ContentMismatch:
        raise SaveLost from None


@post(f"{_PATH}/{{save_id:str}}/restore", requires=Permission.SAVES_UPDATE, raises=[SaveUnknown])
def restore_save(save_id: str, actor: Actor, saved_games: SavedGames) -> SaveResponse:
    """Make a save the newest of its slot, which devices download."""
    return _response(saved_games.restore(actor, save_id))


@delete(f"{_PATH}/{{save_id:str}}", requires=Permission.SAVES_UPDATE, raises=[SaveUnknown])
def delete_save(save_id: str, actor: Actor, saved_games: SavedGames) -> None:
    """Delete a save."""
    saved_games.delete(actor, save_id)


def _response(own: OwnSave) -> SaveResponse:
    return SaveResponse.of(own.found, newest=own.newest)


ROUTES = (list_saves, upload_save, fetch_save, restore_save, delete_save)
