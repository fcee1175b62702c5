"""Wire types of libraries."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from playdock.domain.libraries.rules import MAX_IGNORED
from playdock.domain.libraries.schemas import BackendKind
from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.fields import Id, Timestamp


class FolderOptions(RequestBody):
    """The folder of a library, and whether the service may write to it."""

    base_dir: Annotated[
        str,
        Meta(
            max_length=4096,
            pattern="^(/|s3://|$)",
            description="The absolute path of a folder on the server, or s3://bucket/prefix.",
            examples=["/srv/games"],
        ),
    ] = ""
    managed: Annotated[
        bool,
        Meta(
            description="Whether games can be uploaded to the library. Its folder is in one of LIBRARY_ROOTS, or in "
            "DATA_DIR if no path is given, and is made if needed.",
            examples=[True],
        ),
    ] = False


Name = Annotated[
    str, Meta(min_length=1, max_length=128, description="A name of 1 to 128 characters.", examples=["Games"])
]


class RulesRequest(RequestBody):
    """What is imported from a library without an administrator. A rule applies to what is found after it was set."""

    import_games: Annotated[
        bool, Meta(description="Whether recognized games are imported when their folders appear.", examples=[False])
    ] = False
    import_versions: Annotated[
        bool,
        Meta(
            description="Whether a new version of an imported game is imported if it has the program that launches "
            "the newest one.",
            examples=[True],
        ),
    ] = False
    ignore: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=2048, examples=["*.part", "Doom/1.9.7z"])]],
        Meta(
            max_length=MAX_IGNORED,
            description="Patterns with * and ? for names of folders and archives that are not offered for import; "
            "those with a slash are for versions of a game.",
        ),
    ] = msgspec.field(default_factory=list)


class LibraryCreate(RequestBody):
    """A library to add."""

    name: Name
    backend: BackendKind
    options: FolderOptions
    rules: RulesRequest = msgspec.field(default_factory=RulesRequest)


class LibraryChanges(RequestBody):
    """The fields to change. Omitted fields are unchanged.

    Games with imported versions keep the layout that they were imported with.
    """

    id: Id
    name: Name | UnsetType = UNSET
    backend: BackendKind | UnsetType = UNSET
    options: FolderOptions | UnsetType = UNSET
    rules: RulesRequest | UnsetType = UNSET


class LibraryId(RequestBody):
    """The id of a library."""

    id: Id


class AvailabilityResponse(ResponseBody):
    """Whether the library of a game can currently be read."""

    available: Annotated[bool, Meta(examples=[True])]


class LibraryRemoval(ResponseBody):
    """A library that is removed with its games by a task, which starts when the time to undo it is over."""

    library: Id
    task_id: Id
    starts: Timestamp


class OptionsResponse(ResponseBody):
    """The folder of a library, and whether the service may write to it."""

    base_dir: Annotated[str, Meta(examples=["/srv/games"])]
    managed: Annotated[bool, Meta(examples=[True])]


class RulesResponse(ResponseBody):
    """What is imported from a library without an administrator."""

    import_games: Annotated[bool, Meta(examples=[False])]
    import_versions: Annotated[bool, Meta(examples=[True])]
    ignore: list[Annotated[str, Meta(examples=["*.part"])]]


class LibraryResponse(ResponseBody):
    """A library; `working` says whether its folder can currently be read."""

    id: Id
    name: Annotated[str, Meta(examples=["Games"])]
    backend: BackendKind
    options: OptionsResponse
    rules: RulesResponse
    working: Annotated[bool, Meta(examples=[True])]
