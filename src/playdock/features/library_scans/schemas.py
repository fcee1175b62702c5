"""Response bodies of automatic imports."""

from typing import Annotated

from msgspec import Meta

from playdock.kit.bodies import ResponseBody
from playdock.kit.fields import Id, Timestamp


class AutomaticImportResponse(ResponseBody):
    """A version that was imported because of a rule of its library; without a game if that was deleted."""

    id: Id
    library: Id
    library_name: Annotated[str, Meta(examples=["Games"])]
    folder: Annotated[str, Meta(description="The folder of the game.", examples=["OpenTTD"])]
    version: Annotated[str, Meta(examples=["14.1"])]
    game_id: Id | None
    game_name: Annotated[str | None, Meta(examples=["OpenTTD"])]
    task_id: Id | None
    started: Timestamp
    undone: Timestamp | None
