"""The import of games on the wire (interface 2.5, 2.6, 4.4)."""

from typing import Annotated

from msgspec import Meta

from playdock.features.catalogue.schemas import GameAnswer
from playdock.features.libraries.schemas import LibraryAnswer
from playdock.kit.bodies import Answer, Body, Query


class SearchQuery(Query):
    """What is looked for."""

    q: Annotated[
        str,
        Meta(pattern=r"\S", max_length=256, description="What to look for, such as a name: 1 to 256 characters."),
    ]


class MetadataResult(Answer):
    """A game that a provider found; `year` is 0 when unknown, `fuzzy` 0 to 1."""

    id: str
    name: str
    icon: str
    description: str
    year: int
    source_id: str
    source_name: str
    fuzzy: float


class MetadataChoice(Body):
    """A search result: the game as a provider knows it."""

    id: Annotated[str, Meta(min_length=1, max_length=256, description="The provider's id of the game.")]
    source_id: Annotated[str, Meta(max_length=64, description="The provider's id.", examples=["Manual"])]
    name: Annotated[str, Meta(min_length=1, max_length=256, description="The game's name.")]


class GameImportDraft(Body):
    """A game that is to be imported."""

    library: Annotated[str, Meta(description="The library's id.")]
    path: Annotated[str, Meta(description="The game as the listing of unimported games names it.")]
    metadata: MetadataChoice | None = None


class TaskStarted(Answer):
    """A task was started."""

    task_id: str


class UnimportedGame(Answer):
    """A game that could be imported."""

    game: str
    library: LibraryAnswer


class UnimportedGames(Answer):
    """The games that could be imported."""

    unimported_games: list[UnimportedGame]


class GameStatus(Answer):
    """What there is to do for a game."""

    no_versions: bool
    unimported_versions: list[str]


class LibraryGame(Answer):
    """A game and its status; ``offline`` when its library cannot be read."""

    game: GameAnswer
    status: GameStatus | str


class LibraryOverview(Answer):
    """All libraries at one view."""

    unimported_games: dict[str, list[str]]
    games: list[LibraryGame]
    has_libraries: bool
