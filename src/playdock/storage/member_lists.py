"""What a process that reads an archive with libarchive reports to the process that started it."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

# The paths of a million members; more would take too much memory in both processes.
_MAX_PATH_BYTES = 256 * 1024**2
_Count = Annotated[int, Meta(ge=0, lt=2**62)]


class Member(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A file or, with a target, a link in an archive. ``offset`` is that of its content in the unpacked image."""

    path: str
    size: _Count
    mode: _Count
    offset: _Count
    target: str | None = None


class Refusal(msgspec.Struct, frozen=True, array_like=True):
    """Why an archive cannot be used: the code of a message, and the member that is the reason, if it is one."""

    code: str
    path: str = ""


class Head(msgspec.Struct, frozen=True, array_like=True):
    """The first bytes of a member."""

    path: str
    data: bytes


def image_size(members: Sequence[Member]) -> int:
    """Return the size of the unpacked image: the content of all members, one after the other."""
    return max((member.offset + member.size for member in members), default=0)


class RefusedError(Exception):
    """An archive cannot be used."""

    def __init__(self, code: str, path: str = "") -> None:
        super().__init__(code)
        self.refusal = Refusal(code, path)


class MemberCount:
    """Counts the members of an archive, and refuses one that has too many."""

    def __init__(self, most: int) -> None:
        self._left, self._path_bytes = most, _MAX_PATH_BYTES

    def add(self, path: str) -> None:
        """Count a member, with an empty path if it is a folder. Raises RefusedError if it is one too many."""
        self._left, self._path_bytes = self._left - 1, self._path_bytes - len(path)
        if self._left < 0 or self._path_bytes < 0:
            raise RefusedError("archive-files")
