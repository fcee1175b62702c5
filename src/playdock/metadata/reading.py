"""Tolerant parsing of untrusted responses of providers.

A value of a wrong type, an implausible number or an unusable URL is left out, so that the rest can still be used.
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
from playdock.fetching.requests import origin_of
from playdock.metadata.game_metadata import Precision, ReleaseDate

# The limits of lists, which providers sort by relevance. Anything beyond would only lengthen a game's page.
MAX_TAGS = 40
MAX_COMPANIES = 20
MAX_SCREENSHOTS = 12

# Longer than any real title; it bounds what a wrong response can put into lists.
_MAX_NAME_LENGTH = 256
# Every server and proxy supports URLs of this length (RFC 9110, 4.1, recommends at least 8,000 octets).
_MAX_ADDRESS_LENGTH = 2000
# The first computer games date from the 1950s; dates after 2100 are placeholders.
_YEARS = range(1950, 2101)
_ADDRESS = re.compile(r"https?://[^\s<>\"\\^`{|}]+", re.IGNORECASE)
_BARE_TAG = re.compile(r"([a-z]+)\s*[-_:=]\s*([\w-]+)", re.IGNORECASE | re.ASCII)
_T = TypeVar("_T")


def read(kind: type[_T], response: object) -> _T:
    """Return a JSON object as a Struct whose fields have defaults; fields of a wrong type keep their defaults.

    Raises:
        msgspec.ValidationError: the value is not an object.
    """
    result: _T = _read(kind, response)
    return result


def read_all(kind: type[_T], response: object) -> tuple[_T, ...]:
    """Return a JSON array of objects as Structs, leaving out items that are not objects.

    Raises:
        msgspec.ValidationError: the value is not an array, or is not empty but contains no object.
    """
    items: tuple[_T, ...] = _read(tuple[kind, ...], response)  # type: ignore[valid-type]
    if response and not items:
        raise msgspec.ValidationError("Expected `object` in `array`")
    return items


def _read(kind: Any, response: object) -> Any:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        members = msgspec.convert(response, dict[str, Any])
        known = (field for field in _fields(kind) if field.encode_name in members)
        return kind(**dict(_usable((field.name, field.type, members[field.encode_name]) for field in known)))
    if get_origin(kind) is tuple:
        (item, _) = get_args(kind)
        items = msgspec.convert(response, list[Any])
        return tuple(value for _, value in _usable(("", item, each) for each in items))
    return msgspec.convert(response, kind, strict=False)


def _usable(pieces: Iterable[tuple[str, Any, object]]) -> Iterable[tuple[str, Any]]:
    for name, kind, piece in pieces:
        with suppress(ValueError):
            yield name, _read(kind, piece)


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def clean_name(text: str) -> str:
    """Return a name on one line, cut to 256 characters."""
    printable = "".join(char if char.isprintable() else " " for char in text[: 4 * _MAX_NAME_LENGTH])
    return " ".join(printable.split())[:_MAX_NAME_LENGTH].strip()


def is_searchable(query: str) -> bool:
    """Return whether a query contains a letter or a digit."""
    return any(char.isalnum() for char in query)


def unique_names(raw: Iterable[str], *, limit: int) -> tuple[str, ...]:
    """Return the first ``limit`` names without duplicates."""
    return tuple(dict.fromkeys(name for name in map(clean_name, raw) if name))[:limit]


def date_from_timestamp(seconds: float) -> date | None:
    """Return the date (UTC) of a time in Unix seconds, or None if it is invalid or not within 1950 to 2100."""
    try:
        result = datetime.fromtimestamp(seconds, UTC).date()
    except (ValueError, OverflowError, OSError):
        return None
    return result if result.year in _YEARS else None


def date_or_none(year: int, month: int = 1, day_of_month: int = 1) -> date | None:
    """Return the date, or None if it is invalid or not within 1950 to 2100."""
    try:
        return date(year, month, day_of_month) if year in _YEARS else None
    except (ValueError, OverflowError):
        return None


def release_date(day: date | None, precision: Precision = Precision.DAY) -> ReleaseDate | None:
    """Return a release date, moved to the first day of its month, quarter or year if the precision is not a day."""
    if day is None:
        return None
    first_month = {Precision.YEAR: 1, Precision.QUARTER: day.month - (day.month - 1) % 3}.get(precision, day.month)
    return ReleaseDate(day.replace(month=first_month, day=day.day if precision is Precision.DAY else 1), precision)


def scaled_score(value: float, *, of: float) -> float | None:
    """Return a rating from 0 to ``of`` scaled to 0 to 1, or None if it is out of range."""
    return round(value / of, 4) if math.isfinite(value) and 0 <= value <= of else None


def web_address(text: str) -> str:
    """Return an http or https URL unchanged, and an empty string for anything else."""
    usable = len(text) <= _MAX_ADDRESS_LENGTH and text.isprintable() and _ADDRESS.fullmatch(text) and origin_of(text)
    return text if usable else ""


def tagged_id(query: str, *tags: str) -> str:
    """Return the id in a tag such as `igdb-1942`, or `(igdb-1942)` anywhere in the query; empty if there is none."""
    match = _BARE_TAG.fullmatch(query.strip()) or TAG.search(query)
    return match[2] if match and match[1].lower() in tags else ""


def page_path(query: str, *addresses: str) -> str:
    """Return the decoded path of a URL on one of these sites, and an empty string for anything else."""
    url = query.strip()
    if not web_address(url):
        return ""
    return unquote(urlsplit(url).path) if _site(url) in map(_site, addresses) else ""


def _site(address: str) -> str:
    return urlsplit(address).netloc.lower().removeprefix("www.")
