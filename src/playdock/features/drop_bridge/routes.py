"""``/api/v1/client`` and ``/api/v2/client``: the API of Drop's desktop clients."""

from base64 import b64decode
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec
from anyio import to_thread
from litestar import Response

from playdock import __version__
from playdock.auth.actor import Actor
from playdock.auth.errors import RecentSignInRequired
from playdock.auth.permissions import Permission
from playdock.domain.objects.errors import ObjectUnknown
from playdock.domain.objects.service import Objects
from playdock.features.accounts.schemas import UserResponse
from playdock.features.downloads.routes import OCTETS, send, storage_errors_translated
from playdock.features.downloads.service import Downloads
from playdock.features.drop_bridge.depot import DropDepot
from playdock.features.drop_bridge.errors import (
    DropRequestClaimed,
    DropRequestUnknown,
    InvalidChunkRequest,
    NoClientListening,
    NotClaimedByYou,
)
from playdock.features.drop_bridge.schemas import (
    NO_IMAGE,
    ApprovalResponse,
    CallbackResponse,
    CapabilityRequest,
    ChunkOfFile,
    ChunksRequest,
    ClientApproval,
    ClientQuery,
    ClientRequestResponse,
    CodeQuery,
    ContextRequest,
    ContextResponse,
    DropCollection,
    DropGame,
    DropGameQuery,
    EntryRequest,
    HandshakeRequest,
    HandshakeResponse,
    InitiateRequest,
    LegacyChunkQuery,
    ManifestQuery,
    NamedVersionQuery,
    NewCollection,
    PlaytimeRequest,
    PlaytimeResponse,
    V1Version,
)
from playdock.features.drop_bridge.selections import ChunkSelection
from playdock.features.drop_bridge.service import DropDownloads, DropGames
from playdock.features.drop_bridge.sign_in import DropSignIns
from playdock.features.game_collections.service import Collections
from playdock.features.news.schemas import ArticleResponse, NewsQuery
from playdock.features.news.service import News
from playdock.features.play_records.service import PlayRecords
from playdock.features.saved_games.errors import SaveUnknown
from playdock.features.saved_games.routes import send_save
from playdock.features.saved_games.service import SavedGames
from playdock.kit.fields import Id
from playdock.server.file_response import Representation
from playdock.server.object_threads import ObjectThreads
from playdock.server.routing import AnyRequest, Caller, address_of, delete, get, post
from playdock.settings import Settings
from playdock.throttle.service import TooManyAttempts

_TEXT = "text/plain"
# 65,536 files with names of 200 bytes. Clients list all small files of 63 MB in one request.
_MAX_CHUNKS_BODY_BYTES = 16 * 1024 * 1024
# Decoding a shorter body takes less time than passing it to a thread.
_SHORT_BODY_BYTES = 16 * 1024
# As many runs as are accepted, with their ends.
_MAX_PLAYTIME_BYTES = 262_144
_DEEP_LINK = "drop://handshake/"
# A transparent image of one pixel, for games without images.
_TRANSPARENT = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
UNSTORED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@get("/api/v1", requires=Caller.ANYBODY)
async def probe(settings: Settings) -> dict[str, str]:
    """Return by which name Drop's clients recognize a server."""
    return {"appName": "Drop", "version": f"v{__version__}", "gitRef": "#playdock", "external": settings.address}


@post("/api/v1/client/auth/initiate", requires=Caller.ANYBODY)
def initiate(request: AnyRequest, body: InitiateRequest, sign_ins: DropSignIns) -> Response[str]:
    """Start signing in. Returns the path of the page to open, or the code to show."""
    return _text(sign_ins.initiate(body, address=address_of(request)))


@post("/api/v1/client/auth/handshake", requires=Caller.ANYBODY)
def complete(body: HandshakeRequest, sign_ins: DropSignIns) -> HandshakeResponse:
    """Complete signing in. Returns the private key, once."""
    return sign_ins.complete(body)


@get("/api/v1/client/auth", requires=Caller.SESSION, raises=[DropRequestUnknown, DropRequestClaimed])
def show_client_request(query: ClientQuery, actor: Actor, sign_ins: DropSignIns) -> ClientRequestResponse:
    """Return a Drop client that waits for approval, and bind it to the caller."""
    return ClientRequestResponse.of(sign_ins.claim(actor, query.id))


@post(
    "/api/v1/client/auth/callback",
    requires=Caller.SESSION,
    raises=[DropRequestUnknown, NotClaimedByYou, NoClientListening, RecentSignInRequired],
)
def approve_client(body: ClientApproval, actor: Actor, sign_ins: DropSignIns) -> CallbackResponse:
    """Approve a Drop client that has opened the browser. Returns the link that leads back to it."""
    token = sign_ins.approve(actor, body.id)
    return CallbackResponse(redirect=f"{_DEEP_LINK}{token}", token=token)


@get(
    "/api/v1/client/auth/code",
    requires=Caller.SESSION,
    raises=[DropRequestUnknown, TooManyAttempts],
    media_type=_TEXT,
    response_type=Id,
)
def find_client_code(request: AnyRequest, query: CodeQuery, actor: Actor, sign_ins: DropSignIns) -> Response[str]:
    """Return the id of the Drop client that shows a code, as plain text."""
    return _text(sign_ins.find_code(actor, query.code, address=address_of(request)))


@post(
    "/api/v1/client/auth/code",
    requires=Caller.SESSION,
    raises=[DropRequestUnknown, NotClaimedByYou, NoClientListening, RecentSignInRequired],
)
def approve_client_code(body: ClientApproval, actor: Actor, sign_ins: DropSignIns) -> ApprovalResponse:
    """Approve a Drop client that shows a code."""
    sign_ins.approve_code(actor, body.id)
    return ApprovalResponse(success=True)


@post("/api/v1/client/user/webtoken", requires=Caller.DEVICE)
def issue_web_token(actor: Actor, sign_ins: DropSignIns) -> Response[str]:
    """Return the token of the client's web view."""
    return _text(sign_ins.web_token(actor))


@get("/api/v1/client/user", requires=Permission.USER_READ)
async def show_user(actor: Actor) -> UserResponse:
    """Return the user of the client."""
    return UserResponse.of(actor.user)


@post("/api/v1/client/capability", requires=Caller.DEVICE)
def accept_capability(body: CapabilityRequest, actor: Actor, sign_ins: DropSignIns) -> dict[str, str]:
    """Accept a capability of the client."""
    sign_ins.add_capability(actor, body.capability)
    return {}


@get("/api/v1/client/user/library", requires=Permission.COLLECTIONS_READ)
def show_library(actor: Actor, games: DropGames) -> list[DropGame]:
    """Return the games of the library."""
    return [entry.game for entry in games.library(actor).entries]


@get("/api/v1/client/game/{game_id:str}", requires=Permission.STORE_READ)
def show_drop_game(game_id: str, actor: Actor, games: DropGames) -> DropGame:
    """Return a game."""
    return games.game(actor, game_id)


@get("/api/v1/client/game/versions", requires=Permission.CONTENT_READ)
def list_v1_versions(query: DropGameQuery, actor: Actor, downloads: DropDownloads) -> list[V1Version]:
    """Return the versions of a game, newest first."""
    return downloads.versions(actor, query.id)


@get("/api/v1/client/game/version", requires=Permission.CONTENT_READ)
def show_v1_version(query: NamedVersionQuery, actor: Actor, downloads: DropDownloads) -> V1Version:
    """Return a version."""
    return downloads.version(actor, query.id, query.version)


@get("/api/v1/client/game/manifest", requires=Permission.CONTENT_READ)
async def fetch_drop_manifest(
    request: AnyRequest, query: ManifestQuery, actor: Actor, downloads: DropDownloads, depot: DropDepot
) -> Response[bytes]:
    """Return the manifest of a version. It takes long if its checksums are not known yet."""
    # Clients of Drop 0.3 cannot send a JWT, and those of 0.4 send nothing else.
    is_v2 = request.headers.get("authorization", "").lower().startswith("jwt ")
    with storage_errors_translated():
        if is_v2:
            content = await depot.bundle(actor, query.id, query.version, query.previous)
        else:
            content = await downloads.manifest(actor, query.id, query.version)
    return Response(content, media_type="application/json", headers=UNSTORED)


@post("/api/v2/client/context", requires=Caller.DEVICE)
def begin_download(body: ContextRequest, actor: Actor, downloads: DropDownloads) -> ContextResponse:
    """Begin the download of a version."""
    return ContextResponse(context=downloads.begin(actor, body.game, body.version))


@post("/api/v2/client/chunk", requires=Caller.DEVICE, max_body_bytes=_MAX_CHUNKS_BODY_BYTES)
async def fetch_chunks(
    request: AnyRequest, actor: Actor, drop_downloads: DropDownloads, downloads: Downloads
) -> Response[Any]:
    """Return chunks, one after the other."""
    wanted = await _wanted(await request.body())
    selection = await drop_downloads.select(actor, wanted.context, wanted.files)
    return await _send(request, actor, downloads, selection)


@get("/api/v1/client/chunk", requires=Permission.CONTENT_READ)
async def fetch_chunk(
    request: AnyRequest, query: LegacyChunkQuery, actor: Actor, drop_downloads: DropDownloads, downloads: Downloads
) -> Response[Any]:
    """Return one chunk, for older clients."""
    if not query.name or not (query.chunk.isascii() and query.chunk.isdecimal()) or len(query.chunk) > len("99999999"):
        raise InvalidChunkRequest
    chunk = ChunkOfFile(filename=query.name, chunk_index=int(query.chunk))
    selection = await drop_downloads.select_one(actor, query.id, query.version, chunk)
    return await _send(request, actor, downloads, selection)


@get("/api/v1/client/object/{object_id:str}", requires=Permission.OBJECT_READ)
async def fetch_drop_object(
    request: AnyRequest,
    object_id: str,
    actor: Actor,
    objects: Objects,
    saved_games: SavedGames,
    *,
    threads: ObjectThreads,
) -> Response[bytes]:
    """Return an image, or a save of the caller."""
    if object_id == NO_IMAGE:
        return Response(_TRANSPARENT, media_type="image/png")
    try:
        return await threads.run(partial(_object, actor, object_id, objects))
    except ObjectUnknown:
        if not actor.may(Permission.SAVES_READ):
            raise
        with suppress(SaveUnknown):
            save = await threads.run(partial(saved_games.find, actor, object_id))
            return await send_save(request, actor, save, saved_games)
        raise


def _object(actor: Actor, object_id: str, objects: Objects) -> Response[bytes]:
    row = objects.describe(actor, object_id)
    return Response(objects.read(row), media_type=row.media_type)


@get("/api/v1/client/collection", requires=Permission.COLLECTIONS_READ)
def list_drop_collections(actor: Actor, games: DropGames) -> list[DropCollection]:
    """Return the collections, except the library."""
    return games.all_collections(actor)


@post("/api/v1/client/collection", requires=Permission.COLLECTIONS_NEW)
def create_drop_collection(body: NewCollection, actor: Actor, games: DropGames) -> DropCollection:
    """Create a collection."""
    return games.create_collection(actor, body.name)


@get("/api/v1/client/collection/default", requires=Permission.COLLECTIONS_READ)
def show_default_collection(actor: Actor, games: DropGames) -> DropCollection:
    """Return the library as a collection."""
    return games.library(actor)


@post("/api/v1/client/collection/default/entry", requires=Permission.OWN_LIBRARY_ADD)
def add_to_default_collection(body: EntryRequest, actor: Actor, games: DropGames) -> DropCollection:
    """Add a game to the library."""
    return games.add_to_library(actor, body.id)


@delete("/api/v1/client/collection/default/entry", requires=Permission.OWN_LIBRARY_REMOVE, status=200)
def remove_from_default_collection(body: EntryRequest, actor: Actor, collections: Collections) -> bool:
    """Remove a game from the library."""
    collections.remove_from_library(actor, body.id)
    return True


@get("/api/v1/client/collection/{collection_id:str}", requires=Permission.COLLECTIONS_READ)
def show_drop_collection(collection_id: str, actor: Actor, games: DropGames) -> DropCollection:
    """Return a collection."""
    return games.collection(actor, collection_id)


@delete("/api/v1/client/collection/{collection_id:str}", requires=Permission.COLLECTIONS_DELETE, status=200)
def delete_drop_collection(collection_id: str, actor: Actor, collections: Collections) -> bool:
    """Delete a collection."""
    collections.delete(actor, collection_id)
    return True


@post("/api/v1/client/collection/{collection_id:str}/entry", requires=Permission.COLLECTIONS_ADD)
def add_drop_entry(collection_id: str, body: EntryRequest, actor: Actor, games: DropGames) -> DropCollection:
    """Add a game to a collection."""
    return games.add_entry(actor, collection_id, body.id)


@delete("/api/v1/client/collection/{collection_id:str}/entry", requires=Permission.COLLECTIONS_REMOVE, status=200)
def remove_drop_entry(collection_id: str, body: EntryRequest, actor: Actor, collections: Collections) -> bool:
    """Remove a game from a collection."""
    collections.remove_game(actor, collection_id, body.id)
    return True


@get("/api/v1/client/news", requires=Permission.NEWS_READ)
def list_drop_news(query: NewsQuery, actor: Actor, news: News) -> list[ArticleResponse]:
    """Return articles."""
    return [ArticleResponse.of(each) for each in news.list_all(actor, query)]


@get("/api/v1/client/news/{article_id:str}", requires=Permission.NEWS_READ)
def show_drop_article(article_id: str, actor: Actor, news: News) -> ArticleResponse:
    """Return an article."""
    return ArticleResponse.of(news.show(actor, article_id))


@post("/api/v1/client/playtime", requires=Permission.PLAY_UPDATE, max_body_bytes=_MAX_PLAYTIME_BYTES)
def add_playtime(body: PlaytimeRequest, actor: Actor, play_records: PlayRecords) -> PlaytimeResponse:
    """Add runs of games. Those of unknown games are accepted too, or the client would send them for ever.

    Those that end in the future are not: the client sends them again later.
    """
    return PlaytimeResponse(accepted=play_records.add_ended(actor, body.recorded()))


def _text(text: str) -> Response[str]:
    return Response(text, media_type=_TEXT)


async def _wanted(body: bytes) -> ChunksRequest:
    return _decode(body) if len(body) <= _SHORT_BODY_BYTES else await to_thread.run_sync(_decode, body)


def _decode(body: bytes) -> ChunksRequest:
    try:
        return msgspec.json.decode(body, type=ChunksRequest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidChunkRequest from None


async def _send(request: AnyRequest, actor: Actor, downloads: Downloads, selection: ChunkSelection) -> Response[Any]:
    item = selection.item
    headers = {**UNSTORED, "Content-Lengths": ",".join(map(str, selection.lengths))}
    return await send(request, downloads, actor, item, Representation(item.body, item.etag, OCTETS, headers))


BROWSER_ROUTES = (show_client_request, approve_client, find_client_code, approve_client_code)
CLIENT_ROUTES = (
    probe,
    initiate,
    complete,
    issue_web_token,
    show_user,
    accept_capability,
    show_library,
    list_v1_versions,
    show_v1_version,
    fetch_drop_manifest,
    show_drop_game,
    begin_download,
    fetch_chunks,
    fetch_chunk,
    fetch_drop_object,
    list_drop_collections,
    create_drop_collection,
    show_default_collection,
    add_to_default_collection,
    remove_from_default_collection,
    show_drop_collection,
    delete_drop_collection,
    add_drop_entry,
    remove_drop_entry,
    list_drop_news,
    show_drop_article,
    add_playtime,
)
