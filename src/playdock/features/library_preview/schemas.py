"""Wire types of browsing folders and of previews."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.domain.libraries.schemas import BackendKind
from playdock.kit.bodies import Query, ResponseBody

MAX_FOLDERS = 500


class FolderQuery(Query):
    """The folder to browse."""

    path: Annotated[
        str,
        Meta(
            max_length=4096,
            pattern="^(/|$)",
            description="The absolute path of a folder on the server; empty for the roots.",
        ),
    ] = ""
    q: Annotated[str, Meta(max_length=256, description="Only folders whose names contain this text.")] = ""


class BrowsedFolder(ResponseBody):
    """A folder in another one."""

    name: Annotated[str, Meta(examples=["games"])]
    path: Annotated[str, Meta(examples=["/srv/games"])]


class FolderListing(ResponseBody):
    """The folders in a folder by name, at most 500 of them, or the roots if `path` is empty.

    `parent` is the folder around it, empty for the roots, and null if the path is empty. `more` says whether there are
    others: enter a part of their names.
    """

    path: Annotated[str, Meta(examples=["/srv"])]
    parent: Annotated[str, Meta(examples=[""])] | None
    folders: Annotated[list[BrowsedFolder], Meta(max_length=MAX_FOLDERS)]
    more: Annotated[bool, Meta(examples=[False])]


class LibraryPreviewQuery(Query):
    """The folder to preview, and the layout that is assumed."""

    path: Annotated[
        str, Meta(max_length=4096, pattern="^/", description="The absolute path of a folder on the server.")
    ]
    backend: Annotated[
        BackendKind | UnsetType, Meta(description="The layout to assume instead of the recognized one.")
    ] = UNSET


class PreviewedVersion(ResponseBody):
    """A version, and what its name says: the version and the store, empty if it says nothing."""

    name: Annotated[str, Meta(examples=["Hollow Knight v1.5.78 (GOG)"])]
    label: Annotated[str, Meta(examples=["1.5.78 (GOG)"])]


class PreviewedGame(ResponseBody):
    """A game that would be listed, with its versions, at most 20."""

    game: Annotated[str, Meta(examples=["Hollow Knight"])]
    title: Annotated[str, Meta(examples=["Hollow Knight"])]
    versions: list[PreviewedVersion]


class LibraryPreview(ResponseBody):
    """What a library would contain.

    `recognized` is the layout that the folder seems to have, and `backend` the one that was assumed. `games` are the
    first 60 of them. `withVersions`, `withoutVersions`, `files` and `empty` count games that have folders for their
    versions, that have none, that are files, and whose folders are empty; `versions` counts the versions of all games.
    All counts are of the part that was looked at, which is the whole folder unless `partly` is true.
    """

    recognized: BackendKind
    backend: BackendKind
    total: Annotated[int, Meta(examples=[1])]
    versions: Annotated[int, Meta(examples=[1])]
    with_versions: Annotated[int, Meta(examples=[1])]
    without_versions: Annotated[int, Meta(examples=[0])]
    files: Annotated[int, Meta(examples=[0])]
    empty: Annotated[int, Meta(examples=[0])]
    partly: Annotated[bool, Meta(examples=[False])]
    games: list[PreviewedGame]
