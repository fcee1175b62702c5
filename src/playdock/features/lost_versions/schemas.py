"""Wire types of lost versions."""

from typing import Annotated

from msgspec import Meta

from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.fields import GameTitle, Id

_Name = Annotated[str, Meta(description="The name on disk.", examples=["v1.0"])]
_Beside = Annotated[
    bool,
    Meta(description="Whether it is in the library itself instead of in the folder of the game.", examples=[False]),
]


class LostVersion(ResponseBody):
    """A lost version, with the folder of its game."""

    id: Id
    name: _Name
    beside: _Beside
    label: Annotated[str | None, Meta(description="The version's label, if it has one.", examples=["1.0"])]
    game: Id
    game_name: GameTitle
    library: Id
    path: GameTitle


class VersionCandidate(ResponseBody):
    """A folder or archive that may be a lost version, and the share of the version's files found in it."""

    name: _Name
    beside: _Beside
    share: Annotated[float, Meta(ge=0, le=1, examples=[1.0])]


class MissingVersion(ResponseBody):
    """A lost version with candidates, most likely first; null if they were not sought because there are many."""

    version: LostVersion
    candidates: list[VersionCandidate] | None


class VersionMoveRequest(RequestBody):
    """Where a version is now."""

    name: _Name
    beside: _Beside = False
