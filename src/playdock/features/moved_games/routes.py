"""``/api/v1/admin/import/moved`` and ``/api/v1/admin/game/{id}/move``."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import GameUnknown
from playdock.domain.installations.errors import LayerMissing
from playdock.domain.libraries.errors import LibraryUnknown
from playdock.features.game_import.errors import (
    GameAlreadyImported,
    GameFolderUnreadable,
    GameNotListed,
    LibraryUnavailable,
)
from playdock.features.moved_games.errors import ContentDiffers
from playdock.features.moved_games.schemas import (
    FolderCandidate,
    FolderOfGame,
    LostGame,
    MovedGame,
    MoveRequest,
    MoveResponse,
)
from playdock.features.moved_games.service import LostGameFolder, MovedGames
from playdock.features.version_import.errors import VersionNotListed, VersionUnusable
from playdock.server.routing import get, post


@get("/api/v1/admin/import/moved", requires=Permission.IMPORT_GAME, touches_disk=True)
def list_moved_games(actor: Actor, moved_games: MovedGames) -> list[MovedGame]:
    """List games whose folders are missing, with unimported folders that may contain them."""
    return [_response_of(each) for each in moved_games.lost(actor)]


@post(
    "/api/v1/admin/game/{game_id:str}/move",
    requires=(Permission.GAME_UPDATE, Permission.IMPORT_GAME),
    raises=[
        GameUnknown,
        LibraryUnknown,
        GameNotListed,
        GameAlreadyImported,
        ContentDiffers,
        VersionNotListed,
        VersionUnusable,
        LayerMissing,
        LibraryUnavailable,
        GameFolderUnreadable,
    ],
    touches_disk=True,
)
def move_game(game_id: str, data: MoveRequest, actor: Actor, moved_games: MovedGames) -> MoveResponse:
    """Assign a game to the folder to which it was moved."""
    return MoveResponse(task_ids=moved_games.move(actor, game_id, data))


def _response_of(lost: LostGameFolder) -> MovedGame:
    game = lost.game
    return MovedGame(
        game=LostGame(id=game.id, name=game.name, library=game.library_id, path=game.path),
        candidates=[
            FolderCandidate(library=each.folder.library.id, path=each.folder.path, share=each.share)
            for each in lost.candidates
        ],
        inside=FolderOfGame(library=lost.inside.library.id, path=lost.inside.path) if lost.inside else None,
    )


ROUTES = (list_moved_games, move_game)
