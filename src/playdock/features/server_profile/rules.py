"""Pure decisions about the server's profile."""

from typing import Any

from msgspec import UNSET, UnsetType

from playdock.kit.texts import one_line

DEFAULT_NAME = "Playdock"


def values_of(*, name: str | UnsetType, greeting: str | UnsetType) -> dict[str, Any]:
    """Return the columns to change. The default name is stored as an empty one."""
    given = {"name": name, "greeting": greeting}
    values = {column: one_line(text) for column, text in given.items() if text is not UNSET}
    return {**values, "name": ""} if values.get("name") == DEFAULT_NAME else values
