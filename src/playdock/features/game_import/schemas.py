"""Wire types of importing games."""

from typing import Annotated

from msgspec import Meta

from playdock.domain.game_metadata.schemas import GameResponse
from playdock.features.libraries.schemas import LibraryResponse
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.fields import GameTitle, Id, MessageCode, MessageParameters


class SearchQuery(Query):
    """The search text."""

    q: Annotated[
        str,
        Meta(pattern=r"\S", max_length=256, description="The text to search for, such as a name: 1 to 256 characters."),
    ]


class MetadataResult(ResponseBody):
    """A game found by a provider; `year` is 0 if unknown, and `fuzzy` is the similarity of the name, from 0 to 1.

    Results with the same `group` are the same game at different providers.
    """

    id: Annotated[str, Meta(examples=["supertuxkart"])]
    name: GameTitle
    icon: Annotated[str, Meta(examples=[""])]
    description: Annotated[str, Meta(examples=["Karts. Nitro. Action!"])]
    year: Annotated[int, Meta(examples=[2006])]
    source_id: Annotated[str, Meta(examples=["PCGamingWiki"])]
    source_name: Annotated[str, Meta(examples=["PCGamingWiki"])]
    fuzzy: Annotated[float, Meta(examples=[0.93])]
    group: Annotated[int, Meta(examples=[0])]


class MetadataChoice(RequestBody):
    """A selected search result."""

    id: Annotated[
        str, Meta(min_length=1, max_length=256, description="The provider's id of the game.", examples=["supertuxkart"])
    ]
    source_id: Annotated[str, Meta(max_length=64, description="The provider's id.", examples=["Manual"])]
    name: Annotated[str, Meta(min_length=1, max_length=256, description="The game's name.", examples=["SuperTuxKart"])]


class LooseFileResponse(ResponseBody):
    """A file beside the folders of games, or a folder whose name is not UTF-8, and why it cannot be imported."""

    library: Id
    name: Annotated[str, Meta(examples=["Doom.rar"])]
    reason: Annotated[str, Meta(examples=["Archives of this kind cannot be imported. Unpack it into a folder."])]
    reason_code: MessageCode | None
    reason_parameters: MessageParameters


class GameImportRequest(RequestBody):
    """A game to import."""

    library: Annotated[Id, Meta(description="The library's id.")]
    path: Annotated[str, Meta(description="The name in the list of unimported games.", examples=["SuperTuxKart"])]
    metadata: MetadataChoice | None = None


class TaskStarted(ResponseBody):
    """The id of a started task."""

    task_id: Id


class UnimportedGame(ResponseBody):
    """A game that can be imported."""

    game: Annotated[str, Meta(examples=["OpenTTD"])]
    library: LibraryResponse


class UnimportedGames(ResponseBody):
    """The games that can be imported."""

    unimported_games: list[UnimportedGame]


class GameStatus(ResponseBody):
    """The versions of a game that can be imported, and whether none has been imported yet."""

    no_versions: bool
    unimported_versions: Annotated[list[str], Meta(examples=[["1.5"]])]


class LibraryGame(ResponseBody):
    """A game and its status; `offline` if its library or folder cannot be read."""

    game: GameResponse
    status: GameStatus | str


class LibraryCountsResponse(ResponseBody):
    """The number of imported games of a library, and of those that could be imported."""

    library: Id
    games: Annotated[int, Meta(examples=[312])]
    unimported: Annotated[int, Meta(description="null if the folder cannot be read.", examples=[7])] | None


class LibraryOverview(ResponseBody):
    """The unimported games by library id, and all imported games."""

    unimported_games: Annotated[
        dict[str, list[str]], Meta(examples=[{"3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77": ["OpenTTD"]}])
    ]
    games: list[LibraryGame]
    has_libraries: Annotated[bool, Meta(examples=[True])]
