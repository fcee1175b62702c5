"""Wire types of unpacking."""

from typing import Annotated

from msgspec import Meta

from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.fields import Bytes, Id

_LIBRARY = Meta(description="The id of a library.")
_GAME = Meta(max_length=1024, description="The name of the game in the library.", examples=["Doom"])
_VERSION = Meta(max_length=1024, description="The name of the version on disk.", examples=["1.9.7z"])
_TARGET = Meta(
    description="The id of the library that gets the folder, which Playdock manages; by default that of the archive. "
    "From another library, the archive is not removed, but ignored."
)


class PackedVersionQuery(Query):
    """An archive or installer in a library."""

    library: Annotated[str, _LIBRARY]
    game: Annotated[str, _GAME]
    version: Annotated[str, _VERSION]
    target: Annotated[str, _TARGET] = ""


class PackedVersion(RequestBody):
    """An archive or installer in a library."""

    library: Annotated[Id, _LIBRARY]
    game: Annotated[str, _GAME]
    version: Annotated[str, _VERSION]
    target: Annotated[Id, _TARGET] | None = None


class UnpackingResponse(ResponseBody):
    """What unpacking would take.

    `size` are the bytes of the unpacked files, `needed` those that are needed until all are unpacked, `packed` those of
    the archive, and `free` those that are free for the folder.
    """

    folder: Annotated[str, Meta(description="The name of the folder.", examples=["1.9"])]
    files: Annotated[int, Meta(examples=[5269])]
    size: Bytes
    needed: Bytes
    packed: Bytes
    free: Bytes
