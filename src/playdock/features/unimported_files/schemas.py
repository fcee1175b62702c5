"""Wire types of deleting files that are not imported."""

from typing import Annotated

from msgspec import Meta

from playdock.kit.bodies import RequestBody
from playdock.kit.fields import Id


class UnimportedFilesDeletion(RequestBody):
    """What is deleted: a game's folder or archive, or one version in it."""

    library: Annotated[Id, Meta(description="The id of a library that Playdock manages.")]
    game: Annotated[str, Meta(max_length=1024, description="The name of the game in the library.", examples=["Doom"])]
    version: (
        Annotated[str, Meta(max_length=1024, description="The name of the version on disk.", examples=["1.9.7z"])]
        | None
    ) = None
