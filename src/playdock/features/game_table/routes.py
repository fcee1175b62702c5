"""Routes of the table of games: ``/api/v1/admin/games``."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.game_table.rules import GameState
from playdock.features.game_table.schemas import (
    GameCounts,
    GameFolderStatus,
    GameTablePage,
    GameTableQuery,
    GameTableRow,
    LeftOutVersion,
)
from playdock.features.game_table.service import GameTable
from playdock.server.routing import get

PATH = "/api/v1/admin/games"


@get(PATH, requires=Permission.LIBRARY_READ)
def list_admin_games(query: GameTableQuery, actor: Actor, game_table: GameTable) -> GameTablePage:
    """List the games of all libraries, searched, filtered and sorted, page by page."""
    page = game_table.page(actor, query)
    return GameTablePage(
        games=[GameTableRow.of(row) for row in page.rows],
        total=page.total,
        next=page.next,
        counts=GameCounts(
            featured=page.counts[GameState.FEATURED],
            damaged=page.counts[GameState.DAMAGED],
            no_versions=page.counts[GameState.NO_VERSIONS],
        ),
    )


@get(f"{PATH}/folders", requires=Permission.LIBRARY_READ, touches_disk=True)
def check_game_folders(actor: Actor, game_table: GameTable) -> list[GameFolderStatus]:
    """List the games whose folder is offline or has versions to import; this looks into every game's folder."""
    return [
        GameFolderStatus(
            game=GameTableRow.of(status.row),
            offline=status.offline,
            unimported_versions=list(status.unimported_versions),
            left_out=[
                LeftOutVersion(
                    name=name, reason=reason.text, reason_code=reason.code, reason_parameters=dict(reason.parameters)
                )
                for name, reason in status.left_out.items()
            ],
        )
        for status in game_table.folders(actor)
    ]


ROUTES = (list_admin_games, check_game_folders)
