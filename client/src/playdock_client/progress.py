"""How the engine tells what it does. It prints nothing itself."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Phase(StrEnum):
    """What is being done; `LOOK` and `CHECK` read files that are there, `COPY` takes over bytes that are."""

    PREPARE = "prepare"
    LOOK = "look"
    COPY = "copy"
    FETCH = "fetch"
    SWITCH = "switch"
    CHECK = "check"
    REMOVE = "remove"


class NoticeKind(StrEnum):
    """What a person should know though it is no failure."""

    PUT_ASIDE = "put-aside"
    KEPT = "kept"
    RESUMED = "resumed"
    RETRIED = "retried"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person should know: a sentence, and the path it is about where it is about one.

    `aside` is the new path of a file that was put aside.
    """

    kind: NoticeKind
    message: str
    path: str = ""
    aside: str = ""


class Progress(Protocol):
    """Is told what happens, from several threads at once; every call must return fast."""

    def begin(self, phase: Phase, *, total: int) -> None:
        """Begin a phase that has `total` bytes to do; 0 where that is not known."""

    def advance(self, done: int, *, fetched: int = 0) -> None:
        """Tell that `done` more bytes of the phase are done, and `fetched` more bytes came over the network."""

    def at(self, path: str) -> None:
        """Tell which file is being worked on."""

    def notice(self, notice: Notice) -> None:
        """Tell what a person should know."""


class Silent:
    """Progress that nobody watches."""

    def begin(self, phase: Phase, *, total: int) -> None: ...

    def advance(self, done: int, *, fetched: int = 0) -> None: ...

    def at(self, path: str) -> None: ...

    def notice(self, notice: Notice) -> None: ...
