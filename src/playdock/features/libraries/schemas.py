"""Libraries on the wire (interface 2.4, decisions 5)."""

from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from playdock.kit.bodies import Answer, Body


class BackendKind(StrEnum):
    """How games lie in a library's place."""

    FILESYSTEM = "Filesystem"
    FLAT_FILESYSTEM = "FlatFilesystem"


class FolderOptions(Body):
    """Where a library lies."""

    base_dir: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=4096,
            pattern="^/",
            description="The absolute path of a folder on the server.",
            examples=["/srv/games"],
        ),
    ]


Name = Annotated[
    str, Meta(min_length=1, max_length=128, description="A name of 1 to 128 characters.", examples=["Games"])
]


class LibraryDraft(Body):
    """A library that is to be added."""

    name: Name
    backend: BackendKind
    options: FolderOptions


class LibraryChanges(Body):
    """What is to change; what is left out stays."""

    id: str
    name: Name | UnsetType = UNSET
    options: FolderOptions | UnsetType = UNSET


class LibraryId(Body):
    """Which library is meant."""

    id: str


class OptionsAnswer(Answer):
    """Where a library lies."""

    base_dir: str


class LibraryAnswer(Answer):
    """A library, and whether its place can be read at this moment."""

    id: str
    name: str
    backend: BackendKind
    options: OptionsAnswer
    working: bool
