"""Damage on the wire."""

from typing import Annotated

from msgspec import Meta

from playdock.content.damage import FileFault
from playdock.features.games.schemas import NamedAnswer
from playdock.kit.bodies import Answer


class DamagedFile(Answer):
    """A file that is not as it was imported, and since when that is known."""

    path: Annotated[str, Meta(description="Its path in the version; empty for the whole folder or archive.")]
    fault: FileFault
    found: str


class DamagedVersion(Answer):
    """A version with the files of it that are known to be damaged, at most a hundred that verifying found."""

    game: NamedAnswer
    version: NamedAnswer
    files: list[DamagedFile]
