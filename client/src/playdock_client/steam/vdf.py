"""Steam's binary key-values format, as in ``shortcuts.vdf``: maps, strings and integers. Pure.

Keys, their order and case, unknown fields and invalid UTF-8 are kept, so that what is read is written unchanged.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from playdock_client.errors import ClientError

_MAP, _STRING, _INTEGER, _END = 0, 1, 2, 8
# Steam's own lists have three levels.
_MAX_DEPTH = 16
_ENCODING, _ERRORS = "utf-8", "surrogateescape"


class UnknownFormat(ClientError):
    """The file is not in the format that is known, so it must not be changed."""


@dataclass(frozen=True, slots=True)
class Item:
    """A key and its value: a string, a signed 32-bit integer, or a map."""

    key: str
    value: "str | int | Map"


@dataclass(frozen=True, slots=True)
class Map:
    """Items in their order. Keys may be repeated."""

    items: Sequence[Item] = ()

    def find(self, key: str) -> "str | int | Map | None":
        """Return the value of a key, ignoring case as Steam does."""
        return next((each.value for each in self.items if each.key.lower() == key.lower()), None)


def read_vdf(data: bytes) -> Map:
    """Return the content of a file. Raises UnknownFormat unless all of it is understood."""
    reader = _Reader(data)
    content = reader.read_map(0)
    if reader.position != len(data):
        raise UnknownFormat("The list of games has more data than expected.")
    return content


def write_vdf(content: Map) -> bytes:
    """Return the bytes of a file."""
    return b"".join(_bytes_of(item) for item in content.items) + bytes([_END])


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0

    def read_map(self, depth: int) -> Map:
        if depth > _MAX_DEPTH:
            raise UnknownFormat("The list of games is nested too deeply.")
        items: list[Item] = []
        while (kind := self._byte()) != _END:
            items.append(Item(self._text(), self._value(kind, depth)))
        return Map(tuple(items))

    def _value(self, kind: int, depth: int) -> str | int | Map:
        match kind:
            case 0:
                return self.read_map(depth + 1)
            case 1:
                return self._text()
            case 2:
                return self._integer()
        raise UnknownFormat(f"The list of games has a field of the unknown type {kind}.")

    def _byte(self) -> int:
        if self.position >= len(self._data):
            raise UnknownFormat("The list of games is cut off.")
        self.position += 1
        return self._data[self.position - 1]

    def _text(self) -> str:
        end = self._data.find(b"\0", self.position)
        if end < 0:
            raise UnknownFormat("The list of games is cut off.")
        start, self.position = self.position, end + 1
        return self._data[start:end].decode(_ENCODING, _ERRORS)

    def _integer(self) -> int:
        try:
            (number,) = struct.unpack_from("<i", self._data, self.position)
        except struct.error as error:
            raise UnknownFormat("The list of games is cut off.") from error
        self.position += 4
        return int(number)


def _bytes_of(item: Item) -> bytes:
    key = item.key.encode(_ENCODING, _ERRORS) + b"\0"
    match item.value:
        case Map():
            return bytes([_MAP]) + key + write_vdf(item.value)
        case str():
            return bytes([_STRING]) + key + item.value.encode(_ENCODING, _ERRORS) + b"\0"
        case _:
            return bytes([_INTEGER]) + key + struct.pack("<i", item.value)
