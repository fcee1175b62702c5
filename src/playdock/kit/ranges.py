"""Parsing of range requests (RFC 9110, section 14)."""

import re
from collections.abc import Sequence

from msgspec import Struct

_RANGE = re.compile(r"([0-9]*)-([0-9]*)")
# What nearly all requests contain.
_SINGLE = re.compile(r"bytes=([0-9]{1,19})-([0-9]{1,19})")
# Each range adds a header to the response; more are requested only to cause work.
_MAX_RANGES = 128
# The digits of the largest signed 64-bit integer.
_MAX_DIGITS = 19


class Unsatisfiable(Struct, frozen=True):
    """None of the requested ranges is within the representation (status 416)."""


RequestedRanges = Sequence[tuple[int, int]] | Unsatisfiable | None


def parse_range(header: str | None, *, size: int) -> RequestedRanges:
    """Return the ranges of a ``Range`` header as offsets (start, end exclusive), None for the whole representation.

    Invalid headers are ignored. So are headers with too many ranges, or with ranges that exceed the size in total,
    because they would only cause work.
    """
    if (single := _SINGLE.fullmatch(header or "")) and int(single[1]) <= int(single[2]):
        return _resolve(single[1], single[2], size=size) or Unsatisfiable()
    unit, _, listed = (header or "").partition("=")
    if unit.strip().lower() != "bytes":
        return None
    parts = [part.strip(" \t") for part in listed.split(",") if part.strip(" \t")]
    matches = [_RANGE.fullmatch(part) for part in parts]
    if not matches or len(matches) > _MAX_RANGES:
        return None
    ranges: list[tuple[int, int]] = []
    for match in matches:
        if match is None or not _is_range(*match.groups()):
            return None
        ranges += _resolve(*match.groups(), size=size)
    if not ranges:
        return Unsatisfiable()
    return None if len(ranges) > 1 and sum(end - start for start, end in ranges) > size else ranges


def if_range_matches(header: str | None, etag: str) -> bool:
    """Return whether ``If-Range`` is absent or matches, so that ``Range`` applies (section 13.1.5).

    Only the strong ETag matches. Weak ETags never do, and dates do not because the service sends no Last-Modified.
    """
    return header is None or header.strip() == f'"{etag}"'


def _is_range(first: str, last: str) -> bool:
    if max(len(first), len(last)) > _MAX_DIGITS or not (first or last):
        return False
    return not (first and last) or int(first) <= int(last)


def _resolve(first: str, last: str, *, size: int) -> Sequence[tuple[int, int]]:
    """Return the range within the representation as a list of one item, empty if the range is outside of it."""
    if first:
        start, end = int(first), min(int(last) + 1, size) if last else size
    else:
        start, end = max(size - int(last), 0), size
    return [(start, end)] if start < end else []
