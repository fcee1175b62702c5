"""Decodes JSON columns. Lists of games have ten of them per game."""

import json
from typing import Any

import msgspec


def decode_json(text: str | bytes) -> Any:
    """Return the value of a JSON column.

    msgspec is several times as fast as the standard library, which reads what only that can have written: surrogates.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError):
        return json.loads(text)
