"""The table of games on the wire."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.features.game_table.queries import TableRow
from playdock.features.game_table.rules import GameSort, GameState
from playdock.kit.bodies import Query, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import GameTitle, Id, MessageCode, MessageParameters, Timestamp


class GameTableQuery(Query):
    """Which games are listed, and in which order."""

    q: Annotated[
        str,
        Meta(
            pattern=r"^[^\x00]*$",
            max_length=256,
            description="Words that must all occur in the name.",
        ),
    ] = ""
    state: Annotated[GameState | UnsetType, Meta(description="Only games that are in this state.")] = UNSET
    library: Annotated[
        str, Meta(pattern=r"^[^\x00]*$", max_length=64, description="Only games of the library with this id.")
    ] = ""
    path: Annotated[
        str, Meta(pattern=r"^[^\x00]*$", max_length=4096, description="Only the game from this folder of its library.")
    ] = ""
    sort: Annotated[GameSort, Meta(description="By name, the largest first, or the newest first.")] = GameSort.NAME
    limit: Annotated[int, Meta(ge=1, le=100, description="How many games to return at most.")] = 50
    after: Annotated[
        str,
        Meta(
            pattern="^[A-Za-z0-9_-]*$",
            max_length=4096,
            description="The `next` of the previous page, with the same filters and sort.",
        ),
    ] = ""


class GameTableRow(ResponseBody):
    """A game: its cover's id, empty without one, and its versions with their size in the library in bytes."""

    id: Id
    name: GameTitle
    cover: Annotated[str, Meta(examples=["7d0e5c1a-4f0b-4c0e-9d4d-0f4c5f1a2b3c"])]
    library: Id
    path: GameTitle
    featured: bool
    damaged: Annotated[bool, Meta(examples=[False])]
    versions: Annotated[int, Meta(examples=[2])]
    size: Annotated[int, Meta(examples=[743_006_930])]
    created: Timestamp

    @classmethod
    def of(cls, row: TableRow) -> "GameTableRow":
        game = row.game
        return cls(
            id=game.id,
            name=game.name,
            cover=row.cover,
            library=game.library_id,
            path=game.path,
            featured=game.featured,
            damaged=row.damaged,
            versions=row.versions,
            size=row.size,
            created=timestamp(game.created),
        )


class GameCounts(ResponseBody):
    """How many games there are in each state."""

    featured: Annotated[int, Meta(examples=[5])]
    damaged: Annotated[int, Meta(examples=[0])]
    no_versions: Annotated[int, Meta(examples=[1])]


class GameTablePage(ResponseBody):
    """Some games, how many match, where the next page begins (null if this is the last), and the counts of all."""

    games: list[GameTableRow]
    total: Annotated[int, Meta(examples=[312])]
    next: Annotated[str, Meta(examples=["WyJuYW1lIiwic3VwZXIiLCIzZjFmIl0"])] | None
    counts: GameCounts


class LeftOutVersion(ResponseBody):
    """A version that is not imported by a rule or together with others, or whose import has failed; and why."""

    name: Annotated[str, Meta(examples=["1.5"])]
    reason: Annotated[
        str, Meta(examples=["The rule imports only versions whose names come after that of the newest one."])
    ]
    reason_code: MessageCode | None
    reason_parameters: MessageParameters


class GameFolderStatus(ResponseBody):
    """A game whose folder is offline, or has versions that could be imported."""

    game: GameTableRow
    offline: Annotated[bool, Meta(examples=[False])]
    unimported_versions: Annotated[list[str], Meta(examples=[["1.5"]])]
    left_out: list[LeftOutVersion]
