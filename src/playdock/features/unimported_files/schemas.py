"""Wire types of deleting and ignoring files that are not imported."""

from typing import Annotated

from msgspec import Meta

from playdock.kit.bodies import RequestBody
from playdock.kit.fields import Id

_LIBRARY = Meta(description="The id of a library.")
_GAME = Meta(min_length=1, max_length=1024, description="The name of the game in the library.", examples=["Doom"])
_VERSION = Meta(max_length=1024, description="The name of the version on disk.", examples=["1.9.7z"])


class UnimportedFilesDeletion(RequestBody):
    """What is deleted: a game's folder or archive, or one version in it."""

    library: Annotated[Id, Meta(description="The id of a library that Playdock manages.")]
    game: Annotated[str, _GAME]
    version: Annotated[str, _VERSION] | None = None


class UnimportedFilesName(RequestBody):
    """What is ignored: a game's folder or archive, or one version in it."""

    library: Annotated[Id, _LIBRARY]
    game: Annotated[str, _GAME]
    version: Annotated[str, _VERSION] | None = None
