"""Formats names, sizes and times as text."""

import os
import re
import shlex
import unicodedata
from collections.abc import Sequence
from pathlib import Path

_UNITS = ("kB", "MB", "GB", "TB", "PB")
_HARMFUL = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
# Persian and Indian scripts use joiners and non-joiners.
_HARMLESS = frozenset("\u200c\u200d")
_SHELL_SIGNS = re.compile(r'["`$%]')
# Fits on a small terminal.
_MAX_LISTED_LINES = 20


def plain(text: str) -> str:
    """Return a text as one line that is safe on a terminal.

    Names come from servers and disks. Control characters, including those for the writing direction, become ``�``.
    """
    return "".join("�" if _is_harmful(letter) else letter for letter in text)


def _is_harmful(letter: str) -> bool:
    return unicodedata.category(letter) in _HARMFUL and letter not in _HARMLESS


def command_line(*arguments: str, windows: bool = os.name == "nt") -> str:
    """Return the command line of the client with some arguments, for people to copy into a shell.

    Names come from servers, so nothing in them may be run: what Windows's shells interpret between quotation marks
    becomes ``?``.
    """
    if windows:
        return " ".join(("playdock-client", *(f'"{_SHELL_SIGNS.sub("?", plain(each))}"' for each in arguments)))
    return shlex.join(("playdock-client", *map(plain, arguments)))


def size(count: int) -> str:
    """Return a number of bytes in decimal units: ``1.2 GB``."""
    if count < 1000:  # noqa: PLR2004 - the first unit
        return f"{count} bytes" if count != 1 else "1 byte"
    scaled, unit = float(count), 0
    while scaled >= 999.95 and unit < len(_UNITS):  # noqa: PLR2004 - would be shown as 1000.0
        scaled, unit = scaled / 1000, unit + 1
    return f"{scaled:.1f} {_UNITS[unit - 1]}"


def duration(seconds: float) -> str:
    """Return a duration as text: ``0:42``, ``12:05``, ``3:00:00``."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def counted(number: int, one: str, several: str) -> str:
    """Return a number with its noun: ``1 file``, ``12 files``."""
    return f"{number:,} {one if number == 1 else several}"


def bulleted(head: str, lines: Sequence[str]) -> list[str]:
    """Return a heading and its lines, shortened if there are many, or nothing if there are none."""
    if not lines:
        return []
    more = [f"  … and {len(lines) - _MAX_LISTED_LINES:,} more"] if len(lines) > _MAX_LISTED_LINES else []
    return [head, *(f"  {line}" for line in lines[:_MAX_LISTED_LINES]), *more]


def is_writable_name(folder: Path) -> bool:
    """Return whether a folder's name is valid Unicode, which not every name on a disk is."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        return False
    return True
