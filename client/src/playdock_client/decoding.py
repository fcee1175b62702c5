"""Decoding of JSON that a server sent or that is in a file, neither of which can be trusted."""

from typing import TypeVar

import msgspec

_T = TypeVar("_T")


def decode_json(data: bytes, kind: type[_T]) -> _T:
    """Return the decoded JSON. Raises msgspec.MsgspecError if it is invalid or too deeply nested."""
    try:
        return msgspec.json.decode(data, type=kind)
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(str(error)) from error
    except RecursionError as error:
        raise msgspec.DecodeError("JSON is too deeply nested") from error
