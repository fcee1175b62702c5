"""Pure decisions about the audit log: what is recorded of a request."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, UNSET, Struct
from msgspec.structs import FieldInfo

# Fields of requests whose text is recorded. Of all other text only the fact that it was given is recorded, so that the
# secret of a new route is not: passwords, keys, and the ids of invitations, which are secrets, too.
RECORDED_TEXTS = frozenset(
    (
        "backend",
        "base_dir",
        "bucket",
        "display_name",
        "endpoint",
        "folder",
        "game",
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
        "prefix",
        "region",
        "setup",
        "source_id",
        "task_group",
        "title",
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

    Those of an object in it have its name before theirs, such as ``rules.importGames``. The service that reads a
    mapping adds what may be recorded of it.
    """
    if not isinstance(body, Struct):
        return {}
    details: dict[str, Value] = {}
    for field in msgspec.structs.fields(body):
        value = getattr(body, field.name)
        if isinstance(value, Struct):
            details |= {f"{field.encode_name}.{name}": each for name, each in details_of(value).items()}
        elif value is not UNSET and value != _default_of(field) and not isinstance(value, dict):
            details[field.encode_name] = _recorded(field.name, value, is_choice=_is_choice(field.type))
    return details


def _default_of(field: FieldInfo) -> Any:
    return field.default if field.default_factory is NODEFAULT else field.default_factory()


def _is_choice(kind: Any) -> bool:
    """Return whether a type allows only some texts, so that a value cannot be a secret."""
    return get_origin(kind) is Literal or any(_is_choice(each) for each in get_args(kind))


def _recorded(name: str, value: Any, *, is_choice: bool) -> Value:
    if isinstance(value, Enum):
        return shortened(str(value.value))
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return shortened(value) if is_choice or name in RECORDED_TEXTS else WITHHELD
    return len(value) if isinstance(value, list | tuple) else WITHHELD


def text_of(body: Any, field: str) -> str:
    """Return the text of a field of a request, empty if it has none."""
    value = getattr(body, field, "")
    return value if isinstance(value, str) else ""


def shortened(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}{WITHHELD}"


def named_in(body: Any) -> str:
    """Return the name of what a request creates, empty if it contains none."""
    names = (text_of(body, field) for field in _NAMING)
    return next((shortened(name) for name in names if name), "")
