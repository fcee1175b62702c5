"""Values of settings: from environment variables, from an ``.env`` file, and from files that these name.

`config_file.py` reads those of a configuration file.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dotenv
import msgspec

from playdock.kit.errors import Invalid
from playdock.kit.messages import Message

_NUMBER = re.compile(r"[0-9]{1,18}")
# A transposed, missing or wrong letter in a name of a dozen; names of other programs are less similar.
_MIN_SIMILARITY = 0.8
_FLAGS = ("true", "false", "1", "0")


@dataclass(frozen=True, slots=True)
class SettingError:
    """An error of one setting. It is a `Message` if administrators can change the setting on a page."""

    name: str
    detail: str


class SettingsUnusable(Invalid):
    """One or more settings are invalid; all of them are named."""

    def __init__(self, errors: Sequence[SettingError]) -> None:
        listed = [f"{error.name}: {error.detail}" for error in errors]
        if len(errors) == 1:
            super().__init__(f"The settings are invalid. {listed[0]}")
        else:
            super().__init__("\n  ".join(["The settings are invalid:", *listed]))
        self.errors = tuple(errors)


def descriptions(settings: type[msgspec.Struct]) -> dict[str, str]:
    """Return the description of each setting by the name of its environment variable."""
    kinds = msgspec.inspect.type_info(settings)
    assert isinstance(kinds, msgspec.inspect.StructType)
    return {
        field.name.upper(): (field.type.extra_json_schema or {})["description"]
        for field in kinds.fields
        if isinstance(field.type, msgspec.inspect.Metadata)
    }


def read_dotenv(file: Path, errors: list[SettingError]) -> Mapping[str, str]:
    """Return the values of an ``.env`` file, if there is one. Append an error to ``errors`` if it cannot be read."""
    try:
        return {key: value or "" for key, value in dotenv.dotenv_values(file).items()}
    except OSError as error:
        errors.append(SettingError(str(file), f"The file cannot be read: {error.strerror}."))
    except UnicodeDecodeError:
        errors.append(SettingError(str(file), "The file is not UTF-8 text."))
    return {}


class SettingSource(msgspec.Struct, frozen=True):
    """A source of settings: what doctor calls it, and its values by the names of environment variables."""

    name: str
    values: Mapping[str, str]


class SettingValue(msgspec.Struct, frozen=True):
    """The text of a setting, and the name of its source."""

    text: str
    source: str


def read_value(sources: Sequence[SettingSource], name: str, errors: list[SettingError]) -> SettingValue | None:
    """Return the value of a setting from the first source that contains it or its file, None if none does."""
    for source in sources:
        if path := source.values.get(f"{name}_FILE"):
            return SettingValue(_content(path, name, errors), source.name)
        if value := source.values.get(name):
            return SettingValue(value, source.name)
    return None


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a question with the known name that is most similar, empty if none is."""
    import difflib

    similar = difflib.get_close_matches(name, known, n=1, cutoff=_MIN_SIMILARITY)
    return f"Did you mean {similar[0]}?" if similar else ""


def _content(path: str, name: str, errors: list[SettingError]) -> str:
    """Return the text of a file. Append an error to ``errors`` if it cannot be read."""
    try:
        return Path(path).read_text().strip()
    except OSError as error:
        errors.append(SettingError(f"{name}_FILE", f"The file cannot be read: {error.strerror}."))
    except UnicodeDecodeError:
        errors.append(SettingError(f"{name}_FILE", "The file is not UTF-8 text."))
    return ""


def type_errors(values: Mapping[str, str], types: Mapping[str, type]) -> list[SettingError]:
    """Return errors for the settings that must be a boolean or a number and are not."""
    flags = [name for name, value in values.items() if types[name] is bool and value.lower() not in _FLAGS]
    numbers = [name for name, value in values.items() if types[name] is int and not _NUMBER.fullmatch(value)]
    return [
        *(SettingError(name.upper(), Message("setting-not-flag")) for name in flags),
        *(SettingError(name.upper(), Message("setting-not-number")) for name in numbers),
    ]
