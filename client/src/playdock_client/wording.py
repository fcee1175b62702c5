"""How names, sizes and times are put for a person."""

import unicodedata
from collections.abc import Sequence
from pathlib import Path

_UNITS = ("kB", "MB", "GB", "TB", "PB")
_HARMFUL = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
# Persian and Indian scripts write with joiners and non-joiners.
_HARMLESS = frozenset("\u200c\u200d")
_SHOWN = 20


def plain(text: str) -> str:
    """Give a text on one line without anything that a terminal could obey.

    Names come from servers and disks; control characters, also those that turn the writing direction, become ``�``.
    """
    return "".join("�" if _is_harmful(letter) else letter for letter in text)


def _is_harmful(letter: str) -> bool:
    return unicodedata.category(letter) in _HARMFUL and letter not in _HARMLESS


def size(count: int) -> str:
    """Put a number of bytes in decimal units: ``1.2 GB``."""
    if count < 1000:  # noqa: PLR2004 - where the units begin
        return f"{count} bytes" if count != 1 else "1 byte"
    scaled, unit = float(count), 0
    while scaled >= 999.95 and unit < len(_UNITS):  # noqa: PLR2004 - what is shown as 1000.0
        scaled, unit = scaled / 1000, unit + 1
    return f"{scaled:.1f} {_UNITS[unit - 1]}"


def duration(seconds: float) -> str:
    """Put a time: ``0:42``, ``12:05``, ``3:00:00``."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def counted(number: int, one: str, several: str) -> str:
    """Put a number with its noun: ``1 file``, ``12 files``."""
    return f"{number:,} {one if number == 1 else several}"


def listed(head: str, lines: Sequence[str]) -> list[str]:
    """Put a list under a head, the first of it if it is long; nothing for an empty one."""
    if not lines:
        return []
    more = [f"  … and {len(lines) - _SHOWN:,} more"] if len(lines) > _SHOWN else []
    return [head, *(f"  {line}" for line in lines[:_SHOWN]), *more]


def is_writable_name(folder: Path) -> bool:
    """Tell whether a folder's name is text that can be written down, as not every name on a disk is."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        return False
    return True
