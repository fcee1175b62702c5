"""The cursors of long lists: where a page ends, as text that needs no escapes in a URL."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from playdock.kit.clock import as_utc

# Numbers of the databases have 64 bits; SQLite raises on a larger parameter.
_MAX_NUMBER = 2**63 - 1


class CursorPosition(Struct, frozen=True):
    """The last row of a page: the value that rows are sorted by, None if it has none, and the row's id."""

    value: Any
    id: str


class CursorInvalid(Exception):
    """A cursor that does not belong to this list."""


def write_cursor(order: Sequence[str], position: CursorPosition) -> str:
    """Return the cursor of a position; ``order`` names what a list is sorted by."""
    written = msgspec.json.encode((*order, position.value, position.id))
    return urlsafe_b64encode(written).rstrip(b"=").decode()


def read_cursor(text: str, order: Sequence[str], *, kind: Any) -> CursorPosition:
    """Return the position that a cursor contains; ``kind`` is the type of its value.

    Raises:
        CursorInvalid: `write_cursor` did not return it, or for another order.
    """
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        *written, raw, row_id = msgspec.json.decode(urlsafe_b64decode(padded), type=list[Any])
        value = msgspec.convert(raw, kind)
    except ValueError:
        raise CursorInvalid from None
    is_too_large = isinstance(value, int) and abs(value) > _MAX_NUMBER
    if written != list(order) or not isinstance(row_id, str) or "\0" in f"{value}{row_id}" or is_too_large:
        raise CursorInvalid
    return CursorPosition(as_utc(value) if isinstance(value, datetime) else value, row_id)
