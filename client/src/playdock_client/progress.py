"""How operations report progress. They print nothing themselves."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Phase(StrEnum):
    """The phase of an operation. `LOOK` and `CHECK` read existing files, `COPY` copies from them."""

    PREPARE = "prepare"
    LOOK = "look"
    COPY = "copy"
    FETCH = "fetch"
    SWITCH = "switch"
    CHECK = "check"
    REMOVE = "remove"
    SEND = "send"


class NoticeKind(StrEnum):
    """The kind of a notice."""

    PUT_ASIDE = "put-aside"
    KEPT = "kept"
    RESUMED = "resumed"
    RETRIED = "retried"
    MIRROR_DROPPED = "mirror-dropped"
    LAUNCH_PROBLEM = "launch-problem"


@dataclass(frozen=True, slots=True)
class Notice:
    """A message for the user that is not an error, and the path it is about, if any.

    `aside` is the new path of a file that was set aside.
    """

    kind: NoticeKind
    message: str
    path: str = ""
    aside: str = ""


class Progress(Protocol):
    """Receives progress from several threads at once. All methods must return quickly."""

    def begin(self, phase: Phase, *, total: int) -> None:
        """Start a phase with `total` bytes, or 0 if unknown."""

    def advance(self, done: int, *, fetched: int = 0) -> None:
        """Add `done` bytes to the phase, and `fetched` bytes to those received."""

    def at(self, path: str) -> None:
        """Set the path of the current file."""

    def notice(self, notice: Notice) -> None:
        """Receive a notice."""

    def check(self) -> None:
        """Raise a ClientError to stop the operation. Called several times a second; it can be resumed later."""


class NoProgress:
    """Ignores all progress."""

    def begin(self, phase: Phase, *, total: int) -> None: ...

    def advance(self, done: int, *, fetched: int = 0) -> None: ...

    def at(self, path: str) -> None: ...

    def notice(self, notice: Notice) -> None: ...

    def check(self) -> None: ...
