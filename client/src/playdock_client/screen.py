"""Output: results on standard output, everything else on standard error; or JSON for programs.

All text shown on a terminal passes through `plain`, because names come from servers.
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

from playdock_client.progress import NoProgress, Notice, NoticeKind, Phase, Progress
from playdock_client.progress_meter import ProgressMeter, ProgressReading, ticking
from playdock_client.wording import duration, plain, size

Document = Mapping[str, object]
# Wide enough that tables in a file or pipe are not wrapped.
_UNWRAPPED_WIDTH = 500
_IMMEDIATE_NOTICES = frozenset((NoticeKind.RESUMED, NoticeKind.RETRIED, NoticeKind.MIRROR_DROPPED))
_PHASE_LABELS = {
    Phase.PREPARE: "Preparing",
    Phase.LOOK: "Scanning files",
    Phase.COPY: "Copying",
    Phase.FETCH: "Downloading",
    Phase.SWITCH: "Moving files into place",
    Phase.CHECK: "Checking",
    Phase.REMOVE: "Removing",
    Phase.SEND: "Uploading",
}


@dataclass(frozen=True, slots=True)
class Listing:
    """A table, the text to show if it has no rows, and sentences to show below it."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    empty: str
    notes: Sequence[str] = ()


Output = Listing | Sequence[str]


class Screen(Protocol):
    """The output of commands."""

    def info(self, sentence: str) -> None:
        """Show a message unless the user wants quiet output."""

    def emit(self, event: str, document: Document, output: Sequence[str] = ()) -> None:
        """Show an event that occurs while a command runs. `document` is for programs."""

    def show_result(self, document: Document, output: Output) -> None:
        """Show the result of the command. `document` is for programs."""

    def fail(self, kind: str, sentence: str) -> None:
        """Show an error. `kind` is a code for programs."""

    def progress(self) -> AbstractContextManager[Progress]:
        """Return a context in which progress is shown."""


class TerminalScreen:
    """Text output, for a terminal or a log."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._out = _console(stderr=False)
        self._err = _console(stderr=True)

    def info(self, sentence: str) -> None:
        if not self._quiet:
            _print(self._err, sentence)

    def emit(self, event: str, document: Document, output: Sequence[str] = ()) -> None:  # noqa: ARG002 - for programs
        for line in output:
            _print(self._err, line)

    def show_result(self, document: Document, output: Output) -> None:  # noqa: ARG002 - for programs
        if not isinstance(output, Listing):
            for line in output:
                _print(self._out, line)
        elif output.rows:
            self._out.print(_table(output))
            for note in output.notes:
                _print(self._out, note)
        else:
            self.info(output.empty)

    def fail(self, kind: str, sentence: str) -> None:  # noqa: ARG002 - for programs
        _print(self._err, f"playdock-client: {sentence}")

    def progress(self) -> AbstractContextManager[Progress]:
        if self._quiet:
            return nullcontext(NoProgress())
        return self._bar() if self._err.is_terminal else self._lines()

    @contextmanager
    def _bar(self) -> Iterator[Progress]:
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[text]}"))
        with Bars(*columns, console=self._err, auto_refresh=False, transient=True) as bars:
            meter, task = ProgressMeter(self._show_notice), bars.add_task("", total=None, text="")
            with ticking(lambda: _paint(bars, task, meter.read()), every=0.2):
                yield meter

    @contextmanager
    def _lines(self) -> Iterator[Progress]:
        meter = ProgressMeter(self._show_notice)
        with ticking(lambda: self.info(_line(meter.read())), every=5):
            yield meter

    def _show_notice(self, notice: Notice) -> None:
        if notice.kind in _IMMEDIATE_NOTICES:
            self.info(notice.message)


class JsonScreen:
    """JSON output on standard output, one document per line; messages remain on standard error."""

    def __init__(self, *, quiet: bool) -> None:
        self._terminal = TerminalScreen(quiet=quiet)

    def info(self, sentence: str) -> None:
        self._terminal.info(sentence)

    def emit(self, event: str, document: Document, output: Sequence[str] = ()) -> None:  # noqa: ARG002 - for people
        self._write({"event": event, **document})

    def show_result(self, document: Document, output: Output) -> None:  # noqa: ARG002 - for people
        self._write(document)

    def fail(self, kind: str, sentence: str) -> None:
        self._terminal.fail(kind, sentence)
        self._write({"event": "failed", "type": kind, "detail": sentence})

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        meter = ProgressMeter(lambda notice: self.emit("notice", asdict(notice)))
        with ticking(lambda: self.emit("progress", _reading(meter.read())), every=0.5):
            yield meter

    def _write(self, document: Document) -> None:
        # Escape to ASCII, which is safe on a terminal too.
        sys.stdout.write(json.dumps(document) + "\n")
        sys.stdout.flush()


def _console(*, stderr: bool) -> Console:
    """Return a console without markup, which does not wrap lines unless it is a terminal."""
    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = _UNWRAPPED_WIDTH
    return console


def _print(console: Console, line: str) -> None:
    console.print(Text(plain(line)), soft_wrap=True)


def _table(listing: Listing) -> Table:
    table = Table(*listing.columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in listing.rows:
        table.add_row(*(Text(plain(cell)) for cell in row))
    return table


def _paint(bars: Bars, task: TaskID, reading: ProgressReading) -> None:
    total = reading.total or None
    bars.update(
        task,
        description=_PHASE_LABELS[reading.phase],
        total=total,
        completed=reading.done,
        text=_progress_text(reading),
    )
    bars.refresh()


def _line(reading: ProgressReading) -> str:
    return ": ".join(filter(None, [_PHASE_LABELS[reading.phase], _progress_text(reading)]))


def _progress_text(reading: ProgressReading) -> str:
    """Return a reading as ``1.2 GB of 3.4 GB, 12.3 MB/s, 2:59 left``, or an empty text if nothing is counted."""
    if not reading.total and not reading.done:
        return ""
    done = f"{size(reading.done)} of {size(reading.total)}" if reading.total else size(reading.done)
    speed = [f"{size(round(reading.speed))}/s"] if reading.speed else []
    left = [f"{duration(reading.left)} left"] if reading.left is not None else []
    return ", ".join([done, *speed, *left])


def _reading(reading: ProgressReading) -> Document:
    left = None if reading.left is None else round(reading.left, 1)
    return {**asdict(reading), "speed": round(reading.speed), "left": left}
