"""Reading: what a provider answers, taken piece by piece and never trusted.

A piece of a wrong type, an absurd number or a strange address is left out, so that it does not cost the rest.
"""

import math
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import cache
from typing import Any, TypeVar, get_args, get_origin
from urllib.parse import unquote, urlsplit

import msgspec

from playdock.content.naming import TAG
from playdock.fetching.web import origin_of
from playdock.metadata.facts import Precision, ReleaseDate

MOST_TAGS = 40
MOST_COMPANIES = 20
MOST_SCREENSHOTS = 12

_MOST_NAME = 256
_MOST_ADDRESS = 2000
_YEARS = range(1950, 2101)
_ADDRESS = re.compile(r"https?://[^\s<>\"\\^`{|}]+", re.IGNORECASE)
_BARE_TAG = re.compile(r"([a-z]+)\s*[-_:=]\s*([\w-]+)", re.IGNORECASE | re.ASCII)
_T = TypeVar("_T")


def read(kind: type[_T], answer: object) -> _T:
    """Give an object of JSON as a Struct whose fields have defaults; what is of a wrong type in it is left out.

    Raises:
        msgspec.ValidationError: it is no object.
    """
    found: _T = _read(kind, answer)
    return found


def read_all(kind: type[_T], answer: object) -> tuple[_T, ...]:
    """Give a list of JSON's objects as Structs, leaving out what is none.

    Raises:
        msgspec.ValidationError: it is no list, or has nothing in it but what is no object.
    """
    found: tuple[_T, ...] = _read(tuple[kind, ...], answer)  # type: ignore[valid-type]
    if answer and not found:
        raise msgspec.ValidationError("Expected `object` in `array`")
    return found


def _read(kind: Any, answer: object) -> Any:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        given = msgspec.convert(answer, dict[str, Any])
        known = (field for field in _fields(kind) if field.encode_name in given)
        return kind(**dict(_usable((field.name, field.type, given[field.encode_name]) for field in known)))
    if get_origin(kind) is tuple:
        (item, _) = get_args(kind)
        listed = msgspec.convert(answer, list[Any])
        return tuple(value for _, value in _usable(("", item, each) for each in listed))
    return msgspec.convert(answer, kind, strict=False)


def _usable(pieces: Iterable[tuple[str, Any, object]]) -> Iterable[tuple[str, Any]]:
    for name, kind, piece in pieces:
        with suppress(ValueError):
            yield name, _read(kind, piece)


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def one_name(text: str) -> str:
    """Give a name on one line, of a bearable length."""
    printable = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * _MOST_NAME])
    return " ".join(printable.split())[:_MOST_NAME].strip()


def is_searchable(query: str) -> bool:
    """Tell whether a query has anything in it that a name could be found by: a letter or a digit."""
    return any(sign.isalnum() for sign in query)


def names(found: Iterable[str], *, most: int) -> tuple[str, ...]:
    """Give the first so many names, each once."""
    return tuple(dict.fromkeys(name for name in map(one_name, found) if name))[:most]


def day(seconds: float) -> date | None:
    """Give the day (UTC) of a moment in Unix seconds, unless no game can have come out on it."""
    try:
        found = datetime.fromtimestamp(seconds, UTC).date()
    except (ValueError, OverflowError, OSError):
        return None
    return found if found.year in _YEARS else None


def calendar_day(year: int, month: int = 1, day_of_month: int = 1) -> date | None:
    """Give a day, unless there is none such or no game can have come out on it."""
    try:
        return date(year, month, day_of_month) if year in _YEARS else None
    except ValueError:
        return None


def released(day: date | None, precision: Precision = Precision.DAY) -> ReleaseDate | None:
    """Give a release date as exact as it is known: the first day of the month, quarter or year."""
    if day is None:
        return None
    first_month = {Precision.YEAR: 1, Precision.QUARTER: day.month - (day.month - 1) % 3}.get(precision, day.month)
    return ReleaseDate(day.replace(month=first_month, day=day.day if precision is Precision.DAY else 1), precision)


def share(value: float, *, of: float) -> float | None:
    """Give a rating as 0 to 1, None if it is out of its range."""
    return round(value / of, 4) if math.isfinite(value) and 0 <= value <= of else None


def web_address(text: str) -> str:
    """Give an address of the web, empty for anything else."""
    usable = len(text) <= _MOST_ADDRESS and text.isprintable() and _ADDRESS.fullmatch(text) and origin_of(text)
    return text if usable else ""


def tagged_id(query: str, *tags: str) -> str:
    """Read the id out of a tag such as `igdb-1942`, or `(igdb-1942)` anywhere; empty if there is none."""
    found = _BARE_TAG.fullmatch(query.strip()) or TAG.search(query)
    return found[2] if found and found[1].lower() in tags else ""


def page_path(query: str, *addresses: str) -> str:
    """Give the path, without escapes, of an address that lies on one of these sites; empty for anything else."""
    wanted = query.strip()
    if not web_address(wanted):
        return ""
    return unquote(urlsplit(wanted).path) if _site(wanted) in map(_site, addresses) else ""


def _site(address: str) -> str:
    return urlsplit(address).netloc.lower().removeprefix("www.")
