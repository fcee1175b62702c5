"""Wire types of changing files."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.fields import Bytes, Expiry, GameTitle, Id, Timestamp

_Name = Annotated[str, Meta(min_length=1, max_length=255)]


class GameFolderChange(RequestBody):
    """Where the files of a game should be. Omitted fields are unchanged."""

    path: Annotated[
        _Name | UnsetType, Meta(description="The new name of its folder or archive.", examples=["SuperTuxKart (2006)"])
    ] = UNSET
    library: Annotated[Id | UnsetType, Meta(description="The id of another library that Playdock manages.")] = UNSET


class VersionPlaceChange(RequestBody):
    """Where the files of a version should be. Omitted fields are unchanged."""

    name: Annotated[
        _Name | UnsetType,
        Meta(description="The new name of its folder or archive, which is the name of the version.", examples=["1.4"]),
    ] = UNSET
    game: Annotated[
        Id | UnsetType,
        Meta(description="The id of the game that it becomes a version of."),
    ] = UNSET


class FilesDeletion(RequestBody):
    """The confirmation that files are to be deleted."""

    name: Annotated[
        str, Meta(max_length=1024, description="The name of what is deleted, exactly.", examples=["SuperTuxKart"])
    ]


class TrashSelection(RequestBody):
    """What to delete from the trash."""

    items: Annotated[list[Id], Meta(min_length=1, max_length=1000, description="The ids of what is deleted.")]


class TrashItemResponse(ResponseBody):
    """A deleted game or version. Until it expires it can be restored; its files still take space."""

    id: Id
    library: Id
    library_name: Annotated[str, Meta(examples=["Games"])]
    game_id: Id
    game_name: GameTitle
    version_id: Id | None
    version_name: Annotated[str | None, Meta(examples=["1.4"])]
    size: Bytes
    deleted: Timestamp
    expires: Expiry
