"""Pure decisions about the audit log: what is recorded of a request."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

import msgspec
from msgspec import UNSET, Struct

# Fields of requests whose text is recorded. Of all other text only the fact that it was given is recorded, so that the
# secret of a new route is not: passwords, keys, and the ids of invitations, which are secrets, too.
RECORDED_TEXTS = frozenset(
    (
        "backend",
        "display_name",
        "game_id",
        "greeting",
        "image_id",
        "into",
        "kind",
        "launch",
        "library",
        "name",
        "path",
        "platform",
        "setup",
        "source_id",
        "task_group",
        "username",
        "version",
    )
)
# What stands for a text that is not recorded.
WITHHELD = "…"
# Longer than every name; a path may be longer.
_MAX_CHARACTERS = 200
# The fields that name what a request creates, the most specific first.
_NAMING = ("name", "username", "version", "path", "task_group")

Value = str | int | float | bool | None


class Action(Struct, frozen=True):
    """What a caller does: the operation, the permissions it required, the ids in the path, and the body if any."""

    operation: str
    permissions: tuple[str, ...]
    address: str = ""
    ids: Mapping[str, str] = {}
    body: Any = None


def details_of(body: Any) -> dict[str, Value]:
    """Return the given values of a request by their names on the wire, without secrets.

    The service that reads a mapping adds what may be recorded of it.
    """
    if not isinstance(body, Struct):
        return {}
    return {
        field.encode_name: _recorded(field.name, value)
        for field in msgspec.structs.fields(body)
        if (value := getattr(body, field.name)) is not UNSET and value != field.default and not isinstance(value, dict)
    }


def _recorded(name: str, value: Any) -> Value:
    if isinstance(value, Enum):
        return shortened(str(value.value))
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return shortened(value) if name in RECORDED_TEXTS else WITHHELD
    return len(value) if isinstance(value, list | tuple) else WITHHELD


def shortened(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}{WITHHELD}"


def named_in(body: Any) -> str:
    """Return the name of what a request creates, empty if it contains none."""
    names = (getattr(body, field, None) for field in _NAMING)
    return next((shortened(name) for name in names if isinstance(name, str) and name), "")
