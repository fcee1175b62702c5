"""What can be wanted of a version, and under which name it is kept."""

import re
from dataclasses import dataclass
from enum import StrEnum

_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')
_LONGEST_NAME = 120


class Kind(StrEnum):
    """What of a version is wanted: its own image, all of it as an archive, or one file of it."""

    CONTENT = "content"
    ARCHIVE = "archive"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of a version; the path only of a file."""

    kind: Kind
    path: str = ""


def title(game: str, version: str) -> str:
    """Make the name of a file that a version is kept in, which every system takes."""
    return _UNSAFE.sub(" ", f"{game} {version}").strip(" .")[:_LONGEST_NAME] or "game"
