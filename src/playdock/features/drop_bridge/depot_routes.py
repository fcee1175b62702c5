"""``/api/v1/depot`` and what else only clients of Drop 0.4 call."""

from itertools import repeat
from typing import Any

from litestar import Response

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.frames import Frame
from playdock.features.client_downloads.service import ClientDownloads
from playdock.features.downloads.routes import OCTETS, storage_errors_translated
from playdock.features.downloads.service import Downloads
from playdock.features.drop_bridge.depot import DropDepot
from playdock.features.drop_bridge.depot_schemas import DepotListing, DepotResponse, PreviousQuery, V2Option, V2Version
from playdock.features.drop_bridge.routes import UNSTORED
from playdock.server.routing import Caller, get
from playdock.server.streaming_response import StreamingBody, StreamingResponse
from playdock.settings import Settings

# What Drop's depots send, of which clients read as much as they receive in four seconds.
_SPEED_TEST_BYTES = 50 * 1024 * 1024
_SPEED_TEST_BLOCK = 1024 * 1024


@get("/api/v1/client/game/{game_id:str}/versions", requires=Permission.CONTENT_READ)
def list_v2_versions(game_id: str, query: PreviousQuery, actor: Actor, depot: DropDepot) -> list[V2Option]:
    """Return what can be installed, newest first."""
    return depot.options(actor, game_id, query.previous)


@get("/api/v1/client/game/{game_id:str}/version/{version_id:str}", requires=Permission.CONTENT_READ)
def show_v2_version(game_id: str, version_id: str, actor: Actor, depot: DropDepot) -> V2Version:
    """Return a version."""
    return depot.version(actor, game_id, version_id)


@get("/api/v1/client/depots", requires=Permission.CONTENT_READ)
async def list_depots(settings: Settings) -> list[DepotResponse]:
    """Return the depots: only the service itself."""
    return [DepotResponse(endpoint=f"{settings.address}/api/v1/depot/")]


@get("/api/v1/depot/manifest.json", requires=Caller.ANYBODY)
def list_depot(depot: DropDepot) -> DepotListing:
    """Return the ids of all versions."""
    return depot.listing()


@get("/api/v1/depot/speedtest", requires=Caller.ANYBODY)
async def test_speed(client_downloads: ClientDownloads, downloads: Downloads) -> Response[Any]:
    """Return zeros, with which a client measures its connection. All of them share the limits of one user."""
    permit = await client_downloads.admit(_SPEED_TEST_BYTES)
    frames = repeat(Frame(bytes(_SPEED_TEST_BLOCK), 0), _SPEED_TEST_BYTES // _SPEED_TEST_BLOCK)
    body = await StreamingBody.begin(iter(frames), threads=downloads.compressing.of("speedtest"), permit=permit)
    return StreamingResponse(body, length=_SPEED_TEST_BYTES, headers=UNSTORED, media_type=OCTETS)


@get("/api/v1/depot/content/{game_id:str}/{version_id:str}/{chunk_id:str}", requires=Permission.CONTENT_READ)
async def fetch_encrypted_chunk(  # noqa: PLR0917 - the names of its path
    game_id: str,
    version_id: str,  # noqa: ARG001 - the chunk is found by its id
    chunk_id: str,
    actor: Actor,
    depot: DropDepot,
    downloads: Downloads,
) -> Response[Any]:
    """Return an encrypted chunk."""
    chunk = await depot.chunk(actor, game_id, chunk_id)
    item, size = chunk.item, chunk.item.body.size
    permit = await downloads.transfers.admit(actor, item.version.version_id, size)
    frames, threads = depot.frames(chunk), downloads.compressing_threads_for(item)
    with storage_errors_translated():
        body = await StreamingBody.begin(frames, threads=threads, permit=permit)
    return StreamingResponse(body, length=size, headers=UNSTORED, media_type=OCTETS)


DEPOT_ROUTES = (
    list_v2_versions,
    show_v2_version,
    list_depots,
    list_depot,
    test_speed,
    fetch_encrypted_chunk,
)
