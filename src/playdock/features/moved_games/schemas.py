"""Moved games on the wire."""

from typing import Annotated

from msgspec import Meta

from playdock.kit.bodies import Answer, Body


class LostGame(Answer):
    """A game and the place where it is not any more: its library's id, and its folder there."""

    id: str
    name: str
    library: str
    path: str


class FolderCandidate(Answer):
    """A folder that may be a lost game's: its library's id, and the share of the game that it has."""

    library: str
    path: str
    share: Annotated[float, Meta(ge=0, le=1)]


class MovedGame(Answer):
    """A lost game with the folders that it may lie in now, the likeliest first."""

    game: LostGame
    candidates: list[FolderCandidate]


class MoveDraft(Body):
    """Where a game lies now."""

    library: Annotated[str, Meta(description="The library's id.")]
    path: Annotated[str, Meta(description="The game as the listing of unimported games names it.")]


class MoveAnswer(Answer):
    """The tasks that import versions again whose files have other times."""

    task_ids: list[str]
