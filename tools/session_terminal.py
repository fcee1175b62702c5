"""Runs a program in a terminal, and computes what the terminal shows at the end.

Only the client's output is supported: text, colors, and the cursor movements of its progress bar.
"""

import codecs
import os
import re
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

_PIECE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|([\r\n])|([^\x1b\x00-\x1f\x7f]+)")
_CURSOR = frozenset("hl")


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a terminal in characters."""

    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Run:
    """Characters with the same style, starting at a column. The style is the parameters of ECMA-48's SGR, or empty."""

    column: int
    text: str
    style: str


class NotUnderstood(Exception):
    """A program wrote an unsupported control sequence."""


class Ended(Exception):
    """A program failed."""


def shown_by(command: Sequence[str], *, size: Size, environment: Mapping[str, str]) -> Iterator[str]:
    """Run a program in a terminal, and yield its output.

    Raises:
        Ended: its status is not 0.
    """
    ours, its = os.openpty()
    termios.tcsetwinsize(its, (size.rows, size.columns))
    try:
        program = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=environment, start_new_session=True)
        os.close(its)
        with program:
            yield from _read(ours)
    finally:
        os.close(ours)
    if program.returncode:
        raise Ended(f"{' '.join(command)} ended with status {program.returncode}.")


def _read(terminal: int) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            # Linux reports EIO when the other end of the terminal has been closed.
            return
        if not data:
            return
        if text := decoder.decode(data):
            yield text


class Terminal:
    """The content of a terminal. A new style replaces the previous one."""

    def __init__(self, size: Size) -> None:
        self._size = size
        self._lines: list[list[tuple[str, str]]] = [[]]
        self._row = self._column = 0
        self._style = ""

    def write(self, text: str) -> None:
        """Process output that contains only complete control sequences. Raises NotUnderstood."""
        done = 0
        while done < len(text):
            piece = _PIECE.match(text, done)
            if piece is None:
                raise NotUnderstood(f"The terminal does not understand {text[done : done + 20]!r}.")
            parameters, command, step, letters = piece.groups()
            if command:
                self._obey(parameters, command)
            elif step:
                self._step(step)
            else:
                self._show(letters)
            done = piece.end()

    def lines(self) -> list[list[Run]]:
        """Return the visible lines, without empty ones at the end."""
        lines = [_runs(line) for line in self._lines]
        while lines and not lines[-1]:
            lines.pop()
        return lines[-self._size.rows :]

    def _obey(self, parameters: str, command: str) -> None:
        match command:
            case "m":
                self._style = "" if parameters in ("", "0") else parameters
            case "A":
                self._row = max(0, self._row - int(parameters or 1))
            case "K" if parameters == "2":
                self._lines[self._row] = []
            case _ if command not in _CURSOR:
                raise NotUnderstood(f"The terminal does not understand ESC [ {parameters} {command}.")

    def _step(self, step: str) -> None:
        if step == "\r":
            self._column = 0
            return
        self._row += 1
        if self._row == len(self._lines):
            self._lines.append([])

    def _show(self, letters: str) -> None:
        for letter in letters:
            if self._column == self._size.columns:
                self._step("\r")
                self._step("\n")
            line = self._lines[self._row]
            line.extend([(" ", "")] * (self._column + 1 - len(line)))
            line[self._column] = (letter, self._style)
            self._column += 1


def _runs(line: Sequence[tuple[str, str]]) -> list[Run]:
    """Join characters with the same style, and omit runs of spaces."""
    runs, column = [], 0
    for style, cells in groupby(line, key=itemgetter(1)):
        text = "".join(letter for letter, _ in cells)
        if text.strip():
            runs.append(Run(column, text.rstrip(), style))
        column += len(text)
    return runs
