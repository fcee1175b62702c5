"""Wire types of old versions."""

from typing import Annotated

from msgspec import Meta

from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.fields import Bytes, GameTitle, Id

MAX_VERSIONS = 1000
_Keep = Annotated[int, Meta(ge=1, le=100, description="How many versions of each platform are kept.", examples=[2])]


class OldVersionsQuery(Query):
    """How many versions of a game are not old."""

    keep: _Keep = 2


class OldVersionsDeletion(RequestBody):
    """Old versions that are to be deleted; those that are no longer old are left out."""

    keep: _Keep
    versions: Annotated[list[Id], Meta(min_length=1, max_length=MAX_VERSIONS)]


class OldVersion(ResponseBody):
    """An old version, and the size of its files."""

    id: Id
    name: Annotated[str, Meta(examples=["1.3"])]
    platform: Annotated[str, Meta(examples=["Linux"])]
    size: Bytes
    game_id: Id
    game_name: GameTitle


class OldVersionsResponse(ResponseBody):
    """The old versions of all managed libraries, at most 1,000 of them, by game and newest first."""

    versions: list[OldVersion]
