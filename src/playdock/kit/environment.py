"""Values of settings: from environment variables, from an ``.env`` file, and from files that these name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dotenv
import msgspec

from playdock.kit.errors import Invalid

_NUMBER = re.compile(r"[0-9]{1,18}")
_FLAGS = ("true", "false", "1", "0")


@dataclass(frozen=True, slots=True)
class SettingError:
    """An error of one setting, which only the terminal shows."""

    name: str
    detail: str


class SettingsUnusable(Invalid):
    """One or more settings are invalid; all of them are named."""

    def __init__(self, errors: Sequence[SettingError]) -> None:
        listed = " ".join(f"{error.name}: {error.detail}" for error in errors)
        super().__init__(f"The settings are invalid. {listed}")
        self.errors = tuple(errors)


def value_errors(
    settings: msgspec.Struct, ranges: Mapping[str, tuple[int, int]], patterns: Mapping[str, tuple[str, str]]
) -> Iterator[SettingError]:
    """Yield errors for numbers outside of their range, and for texts that do not match a pattern, with its details."""
    for name, (least, most) in ranges.items():
        if not least <= getattr(settings, name) <= most:
            yield SettingError(name.upper(), f"It must be from {least} to {most}.")
    for name, (pattern, detail) in patterns.items():
        if getattr(settings, name) and not re.fullmatch(pattern, getattr(settings, name)):
            yield SettingError(name.upper(), detail)


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


def read_value(sources: Sequence[Mapping[str, str]], name: str, errors: list[SettingError]) -> str:
    """Return the text of a setting from the first source that contains it or its file, empty if none does."""
    for source in sources:
        if path := source.get(f"{name}_FILE"):
            return _content(path, name, errors)
        if value := source.get(name):
            return value
    return ""


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
        *(SettingError(name.upper(), "It must be true or false.") for name in flags),
        *(SettingError(name.upper(), "It must be a whole number, with digits only.") for name in numbers),
    ]
