"""``/api/v1/admin/import/game`` and ``/api/v1/admin/library``: folders to import, and the imported games."""

from collections.abc import Iterator

import msgspec
from litestar.response import Stream

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.game_metadata.schemas import GameResponse
from playdock.domain.libraries.errors import LibraryUnknown
from playdock.features.game_import.errors import (
    GameAlreadyImported,
    GameNotListed,
    LibraryUnavailable,
    MetadataAlreadyUsed,
    ProvidersUnavailable,
)
from playdock.features.game_import.schemas import (
    GameImportRequest,
    GameStatus,
    LibraryCountsResponse,
    LibraryGame,
    LibraryOverview,
    LooseFileResponse,
    MetadataResult,
    SearchQuery,
    TaskStarted,
    UnimportedGames,
)
from playdock.features.game_import.service import GameImports, GamesOverview, ImportedGame, LibraryListing
from playdock.features.libraries.routes import response_of
from playdock.kit.messages import parameters_of
from playdock.metadata.merging import groups_of
from playdock.metadata.providers import Match
from playdock.server.disk_threads import DiskThreads
from playdock.server.routing import get, post
from playdock.server.streaming_response import iterate_in_threads
from playdock.tasks.errors import TaskAlreadyRunning

_PIECE = 32 * 1024


@get("/api/v1/admin/import/game", requires=Permission.IMPORT_GAME, response_type=UnimportedGames, touches_disk=True)
def list_unimported_games(actor: Actor, game_imports: GameImports) -> Stream:
    """List the games that could be imported."""
    return Stream(_written(game_imports.unimported(actor)), media_type="application/json")


@get("/api/v1/admin/import/game/loose", requires=Permission.IMPORT_GAME, touches_disk=True)
def list_loose_files(actor: Actor, game_imports: GameImports) -> list[LooseFileResponse]:
    """List the files and folders that cannot be imported as games, and why."""
    return [
        LooseFileResponse(
            library=each.library.id,
            name=each.name,
            reason=str(each.reason),
            reason_code=each.reason.code,
            reason_parameters=parameters_of(each.reason),
        )
        for each in game_imports.loose_files(actor)
    ]


@get("/api/v1/admin/import/game/search", requires=Permission.IMPORT_GAME, raises=[ProvidersUnavailable])
def search_metadata(query: SearchQuery, actor: Actor, game_imports: GameImports) -> list[MetadataResult]:
    """Look for a game at all metadata providers, the likeliest first."""
    matches = game_imports.search(actor, query.q)
    return [_result(match, group=group) for match, group in zip(matches, groups_of(matches), strict=True)]


@post(
    "/api/v1/admin/import/game",
    requires=Permission.IMPORT_GAME,
    status=202,
    touches_disk=True,
    raises=[
        LibraryUnknown,
        GameNotListed,
        GameAlreadyImported,
        MetadataAlreadyUsed,
        TaskAlreadyRunning,
        LibraryUnavailable,
    ],
)
def import_game(data: GameImportRequest, actor: Actor, game_imports: GameImports) -> TaskStarted:
    """Start the import of a game."""
    return TaskStarted(task_id=game_imports.start(actor, data))


@get("/api/v1/admin/library", requires=Permission.LIBRARY_READ, response_type=LibraryOverview, touches_disk=True)
def show_libraries(actor: Actor, game_imports: GameImports, disk_threads: DiskThreads) -> Stream:
    """Show what could be imported and what has been; this looks into every game's folder.

    The response contains all games. For pages of games, use `GET /api/v1/admin/games`, for numbers of games
    `GET /api/v1/admin/library/counts`.
    """
    pieces = _written_overview(game_imports.overview(actor))
    return Stream(iterate_in_threads(pieces, disk_threads), media_type="application/json")


@get("/api/v1/admin/library/counts", requires=Permission.LIBRARY_READ, touches_disk=True)
def count_library_games(actor: Actor, game_imports: GameImports) -> list[LibraryCountsResponse]:
    """Return how many games of each library could be imported and how many have been."""
    return [
        LibraryCountsResponse(library=each.library.id, games=each.games, unimported=each.unimported)
        for each in game_imports.counts(actor)
    ]


def _written_overview(overview: GamesOverview) -> Iterator[bytes]:
    """Write the overview in pieces: with ten thousand games it has 24 MB, most of them descriptions."""
    unimported = {listing.library.id: listing.unimported or [] for listing in overview.listings}
    has_libraries = msgspec.json.encode(bool(overview.listings))
    piece = bytearray(
        b'{"unimportedGames":%b,"hasLibraries":%b,"games":[' % (msgspec.json.encode(unimported), has_libraries)
    )
    comma = b""
    for each in overview.games:
        game = LibraryGame(game=GameResponse.of(each.game, each.shown), status=_status(each))
        piece += comma + msgspec.json.encode(game)
        comma = b","
        if len(piece) >= _PIECE:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece + b"]}")


def _written(listings: list[LibraryListing]) -> Iterator[bytes]:
    """Write the listing in pieces: with ten thousand games it has megabytes, most of them the library repeated."""
    piece = bytearray(b'{"unimportedGames":[')
    comma = b""
    for listing in listings:
        library = msgspec.json.encode(response_of(listing.library, working=listing.unimported is not None))
        for game in listing.unimported or ():
            piece += b'%b{"game":%b,"library":%b}' % (comma, msgspec.json.encode(game), library)
            comma = b","
            if len(piece) >= _PIECE:
                yield bytes(piece)
                piece.clear()
    yield bytes(piece + b"]}")


def _result(match: Match, *, group: int) -> MetadataResult:
    return MetadataResult(
        id=match.reference.id,
        name=match.reference.name,
        icon=match.icon,
        description=match.description,
        year=match.year,
        source_id=match.reference.source_id,
        source_name=match.source_name,
        fuzzy=match.similarity,
        group=group,
    )


def _status(each: ImportedGame) -> GameStatus | str:
    if each.unimported_versions is None:
        return "offline"
    return GameStatus(no_versions=not each.has_versions, unimported_versions=each.unimported_versions)


ROUTES = (list_unimported_games, list_loose_files, search_metadata, import_game, show_libraries, count_library_games)
