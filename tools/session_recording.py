"""What is kept of a session: what came onto the terminal and when, as asciicast v2.

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
_LONGEST_PAUSE = 1.5


@dataclass(slots=True)
class Disguise:
    """What is shown instead of what is only so on this machine, such as a port."""

    shown: Mapping[str, str]
    _held: str = ""

    def cover(self, text: str) -> str:
        """Give what can be shown by now; what may be the beginning of something else is held back."""
        text = self._held + text
        for real, shown in self.shown.items():
            text = text.replace(real, shown)
        held = max((_overlap(text, real) for real in self.shown), default=0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def rest(self) -> str:
        """Give what was held back and turned out to be nothing else."""
        held, self._held = self._held, ""
        return held


@dataclass(slots=True)
class Recording:
    """A session as it goes on. Its own time stands still where nothing happens for long."""

    size: Size
    clock: Callable[[], float] = time.monotonic
    _now: float = 0.0
    _seen: float = 0.0
    _pieces: list[tuple[float, str]] = field(default_factory=list)

    def prompt(self) -> None:
        """Ask for a command, a line below the last one's answer, as soon as that could be read."""
        room = "\r\n" if self._pieces else ""
        self._add(f"{room}{_PROMPT}", after=_SECONDS_TO_READ if self._pieces else 0)

    def type(self, line: str) -> None:
        """Show a command as somebody types it, and wait for what comes of it."""
        self._add("", after=_SECONDS_TO_THINK)
        for letter in line:
            self._add(_TYPED.format(letter), after=_SECONDS_A_LETTER)
        self._add("\r\n", after=_SECONDS_TO_THINK)
        self._seen = self.clock()

    def show(self, text: str) -> None:
        """Show what has just been written."""
        now = self.clock()
        if text:
            self._add(text, after=min(now - self._seen, _LONGEST_PAUSE))
            self._seen = now

    def text(self) -> str:
        """Give all that came onto the terminal."""
        return "".join(text for _, text in self._pieces)

    def cast(self, *, title: str) -> Iterator[str]:
        """Give the lines of the file."""
        header = {"version": 2, "width": self.size.columns, "height": self.size.rows, "title": title}
        yield json.dumps(header, ensure_ascii=False)
        for moment, text in self._pieces:
            yield json.dumps([round(moment, 3), "o", text], ensure_ascii=False)

    def _add(self, text: str, *, after: float) -> None:
        self._now += after
        if text:
            self._pieces.append((self._now, text))


def _overlap(text: str, real: str) -> int:
    """Tell how many letters at the end of a text may be the beginning of something."""
    lengths = range(min(len(text), len(real) - 1), 0, -1)
    return next((length for length in lengths if text.endswith(real[:length])), 0)
