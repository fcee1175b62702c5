"""Pure decisions about what other servers have stored: how their values are read."""

import json
import re
import shlex
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from math import isfinite
from typing import Any

from playdock.content.programs import Platform
from playdock.metadata.game_metadata import ReleaseDate
from playdock.metadata.prose import MAX_CHARACTERS
from playdock.metadata.providers import MANUAL
from playdock.other_servers.model import Command, Omission, SourcePlayRecord, SourceSession

TOKENS = "programs that use them call an interface that this server does not have."
_PROVIDERS = ("Steam", "IGDB", "GiantBomb", "PCGamingWiki")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
# Servers store the first moment of Unix time, and libraries the first year, for a date that they do not know.
_MIN_RELEASE_YEAR = 1971
_NAME_CHARACTERS = 256
_SHORT_CHARACTERS = 1000
# The year 3000 in seconds; larger numbers are milliseconds.
_MAX_SECONDS = 32_503_680_000
# More than the largest integer of a column would hold, and than anybody can have played: 60 years.
_MAX_PLAY_SECONDS = 60 * 366 * 24 * 3600


def text(value: Any, *, at_most: int = MAX_CHARACTERS) -> str:
    """Return a text without control characters; empty if there is none."""
    return _UNPRINTABLE.sub("", str(value).replace("\r\n", "\n"))[:at_most] if value else ""


def line(value: Any, *, at_most: int = _NAME_CHARACTERS) -> str:
    """Return a text as one line."""
    return " ".join(text(value).split())[:at_most]


def short(value: Any) -> str:
    """Return a short description: one line."""
    return line(value, at_most=_SHORT_CHARACTERS)


def moment(value: Any) -> datetime | None:
    """Return a time as databases store it: a datetime, a text in ISO 8601, or a number since 1970."""
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        elif isinstance(value, int | float):
            value = datetime.fromtimestamp(value if abs(value) < _MAX_SECONDS else value / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    if not isinstance(value, datetime):
        return None
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def released(value: Any) -> ReleaseDate | None:
    """Return a release date, None if it is unknown."""
    found = moment(value)
    if found is None or found.year < _MIN_RELEASE_YEAR:
        return None
    return ReleaseDate(date(found.year, found.month, found.day))


def structure(value: Any) -> Any:
    """Return what a JSON column contains; databases without that type return it as text. None if it is not JSON."""
    if not isinstance(value, str | bytes):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return None


def texts(value: Any) -> list[str]:
    """Return a list of texts from an array, from JSON, or from a text with commas."""
    found = structure(value)
    if found is None and isinstance(value, str):
        found = value.split(",")
    return [line(each) for each in found if line(each)] if isinstance(found, list | tuple) else []


def urls(value: Any) -> list[str]:
    """Return the web addresses in a list."""
    return [each for each in texts(value) if each.startswith(("https://", "http://"))]


def number(value: Any) -> float | None:
    """Return a number that may be stored as text, None if it is not one."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def provider(name: Any) -> str:
    """Return the id of a metadata provider by its name in any case, ``Manual`` if it is unknown."""
    return next((known for known in _PROVIDERS if known.lower() == str(name).lower()), MANUAL)


def platform(name: Any) -> Platform | None:
    """Return a platform by its name in any case, None if it is unknown."""
    return next((known for known in Platform if known.value.lower() == str(name).lower()), None)


def program_path(path: str) -> str:
    """Return the path of a program relative to its version, with slashes."""
    return path.replace("\\", "/").removeprefix("./").lstrip("/")


def command(program: Any, arguments: Iterable[Any] = ()) -> Command:
    """Return a command whose arguments are apart."""
    words = [text(each) for each in arguments if text(each)]
    return Command(program_path(line(program, at_most=4096)), shlex.join(words) if words else "")


def filled(*given: Command) -> tuple[Command, ...]:
    """Return the commands that have a program."""
    return tuple(each for each in given if each.program)


def commands(whole: Any) -> tuple[Command, ...]:
    """Return how a command line can be read: with quotes as a shell does, or the whole text as the path."""
    written = line(whole, at_most=4096)
    if not written:
        return ()
    readings = [Command(program_path(written))]
    lexer = shlex.shlex(written, posix=True, punctuation_chars=False)
    # A backslash separates folders; a shell would remove it.
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    try:
        first, *others = lexer
    except ValueError:
        return tuple(readings)
    readings.insert(0, Command(program_path(first), shlex.join(others)))
    return tuple(dict.fromkeys(readings))


def omissions(*found: tuple[str, int, str]) -> tuple[Omission, ...]:
    """Return what is not moved, without what does not exist."""
    return tuple(Omission(what, count, reason) for what, count, reason in found if count)


def duration(seconds: Any) -> int:
    """Return a play time in seconds as it can be stored here, 0 if it is not one."""
    found = number(seconds)
    return int(min(max(found, 0), _MAX_PLAY_SECONDS)) if found is not None and isfinite(found) else 0


def total(key: str, seconds: Any, last: Any) -> tuple[SourceSession, ...]:
    """Return a play time of which only the sum is known, and the last run perhaps; nothing if there is none."""
    length, started = duration(seconds), moment(last)
    return (SourceSession(key, started, length),) if length or started else ()


def play_records(found: Iterable[SourcePlayRecord]) -> tuple[SourcePlayRecord, ...]:
    """Return the records that say something, in a defined order."""
    said = (each for each in found if each.sessions or each.status or each.note)
    return tuple(sorted(said, key=lambda each: each.key))


def file_name(key: Any) -> str:
    """Return the id of an object as a file name, empty if it is not one."""
    name = str(key or "")
    return name if re.fullmatch(r"[\w-][\w.-]{0,254}", name) else ""


def unique(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without repetitions, in order."""
    return tuple(dict.fromkeys(names))
