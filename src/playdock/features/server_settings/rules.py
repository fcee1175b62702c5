"""Pure decisions of the settings page."""

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import Any

import msgspec

from playdock.editable_settings import EDITABLE
from playdock.kit.environment import SettingError
from playdock.kit.errors import FieldError
from playdock.kit.messages import Message
from playdock.setting_choices import ONE_OF, SOME_OF
from playdock.settings import Settings

_NAMES = {each.name for each in EDITABLE}
_DEFAULTS = Settings()


class SettingKind(StrEnum):
    """How a setting is edited."""

    TEXT = "text"
    NUMBER = "number"
    FLAG = "flag"
    SECRET = "secret"  # noqa: S105 - the name of a kind
    ONE_OF = "oneOf"
    SOME_OF = "someOf"


class SettingsTarget(StrEnum):
    """What can be tested."""

    IGDB = "IGDB"
    GIANT_BOMB = "GiantBomb"
    STEAM_GRID_DB = "SteamGridDB"
    OPENID = "OpenID"


def kind_of(name: str, *, secret: bool) -> SettingKind:
    default = getattr(_DEFAULTS, name)
    if secret:
        return SettingKind.SECRET
    for kind, names in ((SettingKind.ONE_OF, ONE_OF), (SettingKind.SOME_OF, SOME_OF)):
        if name in names:
            return kind
    if isinstance(default, bool):
        return SettingKind.FLAG
    return SettingKind.NUMBER if isinstance(default, int) else SettingKind.TEXT


def choices_of(name: str) -> list[str]:
    """Return the values that a setting can have, nothing if it has no fixed ones."""
    return [*ONE_OF.get(name, ()), *SOME_OF.get(name, ())]


def text_of(value: Any) -> str:
    """Return a value as an environment variable would have it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def default_of(name: str) -> str:
    return text_of(getattr(_DEFAULTS, name))


def changes_of(values: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the changes by the names of fields. An empty text stands for the default, as in the environment."""
    return {name.lower(): (text or "").strip() or None for name, text in values.items()}


def refused(changes: Mapping[str, str | None], fixed: Mapping[str, str]) -> Iterator[FieldError]:
    """Yield errors for settings that are not on the page, or that another source sets."""
    for name in changes:
        if name not in _NAMES:
            yield FieldError(name.upper(), Message("setting-unknown"))
        elif source := fixed.get(name.upper()):
            yield FieldError(name.upper(), Message("setting-fixed", source=source))


def field_errors(found: Collection[SettingError], known: Collection[SettingError]) -> list[FieldError]:
    """Return the errors that were not there before."""
    return [
        FieldError(error.name, error.detail)
        for error in found
        if error not in known and isinstance(error.detail, Message)
    ]


def recorded(changes: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the changes for the audit log, without secrets."""
    secrets = {each.name for each in EDITABLE if each.secret}
    return {name.upper(): "…" if name in secrets and text else text for name, text in changes.items()}


def descriptions() -> Mapping[str, str]:
    """Return what each setting does, by the name of its field."""
    kinds = msgspec.inspect.type_info(Settings)
    assert isinstance(kinds, msgspec.inspect.StructType)
    return {
        field.name: (field.type.extra_json_schema or {})["description"]
        for field in kinds.fields
        if isinstance(field.type, msgspec.inspect.Metadata)
    }
