"""The import of versions on the wire (interface 2.7, 4.5)."""

from typing import Annotated

from msgspec import Meta

from playdock.content.programs import Platform
from playdock.kit.bodies import Answer, Body, Query


def _in_any_case(*words: str) -> str:
    options = ("".join(f"[{letter.upper()}{letter.lower()}]" for letter in word) for word in words)
    return rf"^({'|'.join(options)})$(?!\n)"


PlatformName = Annotated[
    str,
    Meta(
        pattern=_in_any_case(*Platform),
        description="Windows, Linux or macOS, in whatever case.",
        examples=["Linux"],
    ),
]
Command = Annotated[str, Meta(max_length=4096, description="A file of the version, by its path.")]
Arguments = Annotated[str, Meta(max_length=4096, description="Arguments of the command.")]


class GameQuery(Query):
    """Which game is meant."""

    id: Annotated[str, Meta(description="The game's id.")]


class VersionQuery(Query):
    """Which version on disk is meant."""

    id: Annotated[str, Meta(description="The game's id.")]
    version: Annotated[str, Meta(description="The name of the version's folder or archive.", examples=["1.4"])]


class GuessAnswer(Answer):
    """A program that may start the game or set it up."""

    filename: str
    platform: Platform
    match: float


class VersionImportDraft(Body):
    """A version that is to be imported."""

    id: Annotated[str, Meta(description="The game's id.")]
    version: Annotated[str, Meta(description="The name of the version's folder or archive.")]
    platform: PlatformName
    delta: Annotated[bool, Meta(description="Whether the version is layered over the one before.")]
    only_setup: Annotated[bool, Meta(description="Whether the version is an installer and nothing else.")] = False
    launch: Command = ""
    launch_args: Arguments = ""
    setup: Command = ""
    setup_args: Arguments = ""
    compat_id: Annotated[str, Meta(max_length=256, description="Another id for the compatibility layer.")] | None = None
