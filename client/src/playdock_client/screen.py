"""What comes out: answers on standard output, everything else on standard error; or JSON for machines.

Whatever is shown to a person passes through `plain`, since names come from servers.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from typing import Protocol

from rich import box
from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bars
from rich.table import Table
from rich.text import Text

from playdock_client.progress import Notice, NoticeKind, Phase, Progress, Silent
from playdock_client.tally import Reading, Tally, ticking
from playdock_client.wording import duration, plain, size

Document = Mapping[str, object]
_WIDE = 500
_LIVE = frozenset((NoticeKind.RESUMED, NoticeKind.RETRIED))
_DOING = {
    Phase.PREPARE: "Preparing",
    Phase.LOOK: "Looking at files",
    Phase.COPY: "Copying",
    Phase.FETCH: "Fetching",
    Phase.SWITCH: "Switching",
    Phase.CHECK: "Checking",
    Phase.REMOVE: "Removing",
}


@dataclass(frozen=True, slots=True)
class Listing:
    """A table for a person; `empty` is said when there is nothing in it."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    empty: str


Shown = Listing | Sequence[str]


class Screen(Protocol):
    """Where commands say what they have to say."""

    def tell(self, sentence: str) -> None:
        """Tell a person who looks on what happens."""

    def happened(self, event: str, document: Document, shown: Sequence[str] = ()) -> None:
        """Tell what has happened while a command goes on."""

    def answer(self, document: Document, shown: Shown) -> None:
        """Give what was asked for."""

    def fail(self, kind: str, sentence: str) -> None:
        """Tell why there is no answer. `kind` is a code for programs."""

    def progress(self) -> AbstractContextManager[Progress]:
        """Show how far something is."""


class PeopleScreen:
    """For people, at a terminal or in a log."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._out = _console(stderr=False)
        self._err = _console(stderr=True)

    def tell(self, sentence: str) -> None:
        if not self._quiet:
            _print(self._err, sentence)

    def happened(self, event: str, document: Document, shown: Sequence[str] = ()) -> None:  # noqa: ARG002 - for programs
        for line in shown:
            _print(self._err, line)

    def answer(self, document: Document, shown: Shown) -> None:  # noqa: ARG002 - for programs
        if not isinstance(shown, Listing):
            for line in shown:
                _print(self._out, line)
        elif shown.rows:
            self._out.print(_table(shown))
        else:
            self.tell(shown.empty)

    def fail(self, kind: str, sentence: str) -> None:  # noqa: ARG002 - for programs
        _print(self._err, f"playdock-client: {sentence}")

    def progress(self) -> AbstractContextManager[Progress]:
        if self._quiet:
            return nullcontext(Silent())
        return self._bar() if self._err.is_terminal else self._lines()

    @contextmanager
    def _bar(self) -> Iterator[Progress]:
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[told]}"))
        with Bars(*columns, console=self._err, auto_refresh=False, transient=True) as bars:
            tally, task = Tally(self._noticed), bars.add_task("", total=None, told="")
            with ticking(lambda: _paint(bars, task, tally.read()), every=0.2):
                yield tally

    @contextmanager
    def _lines(self) -> Iterator[Progress]:
        tally = Tally(self._noticed)
        with ticking(lambda: self.tell(_line(tally.read())), every=5):
            yield tally

    def _noticed(self, notice: Notice) -> None:
        if notice.kind in _LIVE:
            self.tell(notice.message)


class JsonScreen:
    """For programs: JSON on standard output, a line each; sentences for people on standard error as ever."""

    def __init__(self, *, quiet: bool) -> None:
        self._people = PeopleScreen(quiet=quiet)

    def tell(self, sentence: str) -> None:
        self._people.tell(sentence)

    def happened(self, event: str, document: Document, shown: Sequence[str] = ()) -> None:  # noqa: ARG002 - for people
        self._write({"event": event, **document})

    def answer(self, document: Document, shown: Shown) -> None:  # noqa: ARG002 - for people
        self._write(document)

    def fail(self, kind: str, sentence: str) -> None:
        self._people.fail(kind, sentence)
        self._write({"event": "failed", "type": kind, "detail": sentence})

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        tally = Tally(lambda notice: self.happened("notice", asdict(notice)))
        with ticking(lambda: self.happened("progress", _reading(tally.read())), every=0.5):
            yield tally

    def _write(self, document: Document) -> None:
        # Escaped to ASCII, so that it is safe also where a person reads it.
        sys.stdout.write(json.dumps(document) + "\n")
        sys.stdout.flush()


def _console(*, stderr: bool) -> Console:
    """Make a console that takes text for text and wraps nothing when nobody reads it on a terminal."""
    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = _WIDE
    return console


def _print(console: Console, line: str) -> None:
    console.print(Text(plain(line)), soft_wrap=True)


def _table(listing: Listing) -> Table:
    table = Table(*listing.columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in listing.rows:
        table.add_row(*(Text(plain(cell)) for cell in row))
    return table


def _paint(bars: Bars, task: TaskID, reading: Reading) -> None:
    total = reading.total or None
    bars.update(task, description=_DOING[reading.phase], total=total, completed=reading.done, told=_told(reading))
    bars.refresh()


def _line(reading: Reading) -> str:
    return ": ".join(filter(None, [_DOING[reading.phase], _told(reading)]))


def _told(reading: Reading) -> str:
    """Put a reading: ``1.2 GB of 3.4 GB, 12.3 MB/s, 2:59 left``; nothing where nothing is counted."""
    if not reading.total and not reading.done:
        return ""
    done = f"{size(reading.done)} of {size(reading.total)}" if reading.total else size(reading.done)
    speed = [f"{size(round(reading.speed))}/s"] if reading.speed else []
    left = [f"{duration(reading.left)} left"] if reading.left is not None else []
    return ", ".join([done, *speed, *left])


def _reading(reading: Reading) -> Document:
    left = None if reading.left is None else round(reading.left, 1)
    return {**asdict(reading), "speed": round(reading.speed), "left": left}
