"""Range requests (RFC 9110, section 14): which part of a representation is asked for, and how that is answered."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_RANGE = re.compile(r"([0-9]*)-([0-9]*)")
_MOST_RANGES = 128
_MOST_DIGITS = 19


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """No range that was asked for lies in the representation: 416."""


Asked = Sequence[tuple[int, int]] | Unsatisfiable | None


def asked_ranges(header: str | None, *, size: int) -> Asked:
    """Read a ``Range`` header: ranges as first byte and the byte after the last, None for the whole.

    What cannot be understood is as if it were not there. So are more ranges than anybody needs, and ranges that
    together ask for more than there is, which would only make the server work.
    """
    unit, _, listed = (header or "").partition("=")
    if unit.strip().lower() != "bytes":
        return None
    parts = [part.strip(" \t") for part in listed.split(",") if part.strip(" \t")]
    matches = [_RANGE.fullmatch(part) for part in parts]
    if not matches or len(matches) > _MOST_RANGES:
        return None
    found: list[tuple[int, int]] = []
    for match in matches:
        if match is None or not _is_range(*match.groups()):
            return None
        found += _resolved(*match.groups(), size=size)
    if not found:
        return Unsatisfiable()
    return None if len(found) > 1 and sum(end - start for start, end in found) > size else found


def if_range_holds(header: str | None, etag: str) -> bool:
    """Tell whether a ``Range`` is to be heeded as far as ``If-Range`` goes (section 13.1.5).

    Only the strong ETag itself will do: a weak one never matches, and no date was ever told.
    """
    return header is None or header.strip() == f'"{etag}"'


def _is_range(first: str, last: str) -> bool:
    if max(len(first), len(last)) > _MOST_DIGITS or not (first or last):
        return False
    return not (first and last) or int(first) <= int(last)


def _resolved(first: str, last: str, *, size: int) -> Sequence[tuple[int, int]]:
    """Give the range within the representation, nothing if there is none."""
    if first:
        start, end = int(first), min(int(last) + 1, size) if last else size
    else:
        start, end = max(size - int(last), 0), size
    return [(start, end)] if start < end else []
