"""``/api/v1/admin/import/moved`` and ``/api/v1/admin/game/{id}/move``."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.game_import.errors import (
    GameAlreadyImported,
    GameFolderUnreadable,
    GameNotListed,
    LibraryOffline,
)
from playdock.features.games.errors import GameUnknown
from playdock.features.installations.errors import LayerLost
from playdock.features.libraries.errors import LibraryUnknown
from playdock.features.moved_games.errors import ContentDiffers
from playdock.features.moved_games.schemas import FolderCandidate, LostGame, MoveAnswer, MovedGame, MoveDraft
from playdock.features.moved_games.service import Lost, MovedGames
from playdock.features.version_import.errors import VersionNotListed, VersionUnusable
from playdock.http.routing import get, post


@get("/api/v1/admin/import/moved", needs=Acl.IMPORT_GAME, touches_disk=True)
def list_moved_games(actor: Actor, moved_games: MovedGames) -> list[MovedGame]:
    """List games whose folders are gone, with unimported folders that have their content."""
    return [_described(each) for each in moved_games.lost(actor)]


@post(
    "/api/v1/admin/game/{game_id:str}/move",
    needs=(Acl.GAME_UPDATE, Acl.IMPORT_GAME),
    raises=[
        GameUnknown,
        LibraryUnknown,
        GameNotListed,
        GameAlreadyImported,
        ContentDiffers,
        VersionNotListed,
        VersionUnusable,
        LayerLost,
        LibraryOffline,
        GameFolderUnreadable,
    ],
    touches_disk=True,
)
def move_game(game_id: str, draft: MoveDraft, actor: Actor, moved_games: MovedGames) -> MoveAnswer:
    """Say that a game lies in another folder now."""
    return MoveAnswer(task_ids=moved_games.move(actor, game_id, draft))


def _described(lost: Lost) -> MovedGame:
    game = lost.game
    return MovedGame(
        game=LostGame(id=game.id, name=game.name, library=game.library_id, path=game.path),
        candidates=[
            FolderCandidate(library=each.folder.library.id, path=each.folder.path, share=each.share)
            for each in lost.candidates
        ],
    )


ROUTES = (list_moved_games, move_game)
