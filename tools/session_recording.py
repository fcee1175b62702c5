"""A recording of a terminal session in the format asciicast v2.

The format: https://docs.asciinema.org/manual/asciicast/v2/. A line of JSON with the terminal's size, then one for each
piece of text with its second.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from session_terminal import Size

_PROMPT = "\x1b[1;32m$\x1b[0m "
_TYPED = "\x1b[1m{}\x1b[0m"
_SECONDS_A_LETTER = 0.045
_SECONDS_TO_THINK = 0.6
_SECONDS_TO_READ = 1.5
_MAX_PAUSE = 1.5


@dataclass(slots=True)
class Disguise:
    """Replaces text that is specific to this machine, such as a port."""

    shown: Mapping[str, str]
    _locked: str = ""

    def cover(self, text: str) -> str:
        """Return the text that can be shown. A possible beginning of a replaced text is held back."""
        text = self._locked + text
        for real, shown in self.shown.items():
            text = text.replace(real, shown)
        held = max((_overlap(text, real) for real in self.shown), default=0)
        self._locked = text[len(text) - held :]
        return text[: len(text) - held]

    def rest(self) -> str:
        """Return the text that was held back."""
        held, self._locked = self._locked, ""
        return held


@dataclass(slots=True)
class Recording:
    """A recording in progress. Its clock stops during long pauses."""

    size: Size
    clock: Callable[[], float] = time.monotonic
    _now: float = 0.0
    _seen: float = 0.0
    _pieces: list[tuple[float, str]] = field(default_factory=list)

    def prompt(self) -> None:
        """Show a prompt after the previous output, after enough time to read it."""
        room = "\r\n" if self._pieces else ""
        self._add(f"{room}{_PROMPT}", after=_SECONDS_TO_READ if self._pieces else 0)

    def type(self, line: str) -> None:
        """Show a command as if typed."""
        self._add("", after=_SECONDS_TO_THINK)
        for letter in line:
            self._add(_TYPED.format(letter), after=_SECONDS_A_LETTER)
        self._add("\r\n", after=_SECONDS_TO_THINK)
        self._seen = self.clock()

    def show(self, text: str) -> None:
        """Record output."""
        now = self.clock()
        if text:
            self._add(text, after=min(now - self._seen, _MAX_PAUSE))
            self._seen = now

    def text(self) -> str:
        """Return all output."""
        return "".join(text for _, text in self._pieces)

    def cast(self, *, title: str) -> Iterator[str]:
        """Return the lines of the recording file."""
        header = {"version": 2, "width": self.size.columns, "height": self.size.rows, "title": title}
        yield json.dumps(header, ensure_ascii=False)
        for moment, text in self._pieces:
            yield json.dumps([round(moment, 3), "o", text], ensure_ascii=False)

    def _add(self, text: str, *, after: float) -> None:
        self._now += after
        if text:
            self._pieces.append((self._now, text))


def _overlap(text: str, real: str) -> int:
    """Return how many characters at the end of a text may begin a replaced text."""
    lengths = range(min(len(text), len(real) - 1), 0, -1)
    return next((length for length in lengths if text.endswith(real[:length])), 0)
