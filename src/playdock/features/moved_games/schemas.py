"""Wire types of moved games."""

from typing import Annotated

from msgspec import Meta

from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.fields import GameTitle, Id


class LostGame(ResponseBody):
    """A lost game, with the library and folder where it was."""

    id: Id
    name: GameTitle
    library: Id
    path: GameTitle


class FolderCandidate(ResponseBody):
    """A folder that may contain a lost game, and the share of the game's files found in it."""

    library: Id
    path: Annotated[str, Meta(examples=["SuperTuxKart (2007)"])]
    share: Annotated[float, Meta(ge=0, le=1, examples=[1.0])]


class FolderOfGame(ResponseBody):
    """A folder of a library."""

    library: Id
    path: Annotated[str, Meta(examples=["Old games"])]


class MovedGame(ResponseBody):
    """A lost game with candidate folders, most likely first.

    Without candidates, `inside` is an unimported folder that contains one of its name, if there is one.
    """

    game: LostGame
    candidates: list[FolderCandidate]
    inside: FolderOfGame | None


class MoveRequest(RequestBody):
    """The new folder of a game."""

    library: Annotated[Id, Meta(description="The library's id.")]
    path: Annotated[
        str, Meta(description="The name in the list of unimported games.", examples=["SuperTuxKart (2007)"])
    ]


class MoveResponse(ResponseBody):
    """The ids of tasks that re-import versions whose files have other modification times or were damaged."""

    task_ids: Annotated[list[str], Meta(examples=[[]])]
