"""Wire types of importing versions."""

from typing import Annotated

from msgspec import Meta

from playdock.content.programs import Platform
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.fields import Id


def _in_any_case(*words: str) -> str:
    options = ("".join(f"[{letter.upper()}{letter.lower()}]" for letter in word) for word in words)
    return rf"^({'|'.join(options)})$(?!\n)"


PlatformName = Annotated[
    str,
    Meta(
        pattern=_in_any_case(*Platform),
        description="Windows, Linux or macOS, ignoring case.",
        examples=["Linux"],
    ),
]
Command = Annotated[str, Meta(max_length=4096, description="The path of a file of the version.")]
Arguments = Annotated[str, Meta(max_length=4096, description="Arguments of the command.")]


class GameQuery(Query):
    """The id of a game."""

    id: Annotated[str, Meta(description="The game's id.")]


class VersionQuery(Query):
    """A version on disk."""

    id: Annotated[str, Meta(description="The game's id.")]
    version: Annotated[str, Meta(description="The name of the version's folder or archive.", examples=["1.4"])]


class FailedImport(ResponseBody):
    """The task that failed to import a version, null if the last one did not fail or ended long ago."""

    task_id: Id | None


class LaunchGuessResponse(ResponseBody):
    """A program that may launch the game or set it up; `match` is the likelihood, from 0 to 1."""

    filename: Annotated[str, Meta(examples=["usr/games/supertuxkart"])]
    platform: Platform
    match: Annotated[float, Meta(examples=[1.0])]


class VersionImportRequest(RequestBody):
    """A version to import."""

    id: Annotated[Id, Meta(description="The game's id.")]
    version: Annotated[str, Meta(description="The name of the version's folder or archive.", examples=["1.4"])]
    platform: PlatformName
    delta: Annotated[bool, Meta(description="Whether the version is a delta on top of the previous one.")]
    beside: Annotated[
        bool, Meta(description="Whether it is beside the game's folder in the library, instead of in it.")
    ] = False
    only_setup: Annotated[bool, Meta(description="Whether the version consists only of an installer.")] = False
    launch: Annotated[Command, Meta(examples=["usr/games/supertuxkart"])] = ""
    launch_args: Arguments = ""
    setup: Command = ""
    setup_args: Arguments = ""
    compat_id: Annotated[str, Meta(max_length=256, description="Another id for the compatibility layer.")] | None = None

    @property
    def name(self) -> str:
        """The name on disk."""
        return self.version


class FolderToAdd(RequestBody):
    """A folder or archive of a game's library that becomes a version of the game."""

    id: Annotated[Id, Meta(description="The game's id.")]
    folder: Annotated[
        str,
        Meta(min_length=1, max_length=255, description="Its name in the game's library.", examples=["OpenTTD 14.1"]),
    ]
