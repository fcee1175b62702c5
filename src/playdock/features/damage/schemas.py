"""Wire types of damage."""

from typing import Annotated

from msgspec import Meta

from playdock.content.damage import FileProblem
from playdock.domain.games.schemas import NamedResponse
from playdock.kit.bodies import ResponseBody
from playdock.kit.fields import Timestamp


class DamagedFile(ResponseBody):
    """A damaged file, and when the damage was found."""

    path: Annotated[
        str,
        Meta(
            description="The path in the version; empty for the entire folder or archive.",
            examples=["data/tracks/abyss.b3d"],
        ),
    ]
    fault: FileProblem
    found: Timestamp


class DamagedVersion(ResponseBody):
    """A version with its damaged files; verifying records at most 100 of them."""

    game: NamedResponse
    version: NamedResponse
    missing: Annotated[bool, Meta(description="Whether the folder or archive of the version is gone.")]
    files: list[DamagedFile]
