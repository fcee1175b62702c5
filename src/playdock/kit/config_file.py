"""Values of settings in a TOML file: the names of the settings in lower case, at the top level."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playdock.kit.environment import SettingError, suggestion

_EXPECTED = {bool: "It must be true or false, without quotes.", int: "It must be a whole number, without quotes."}
_TEXT = 'It must be text in quotes, such as "a value".'


def read_config(file: Path, types: Mapping[str, type], errors: list[SettingError]) -> dict[str, str]:
    """Return the values of a file as text, by the names of environment variables.

    ``types`` are those of the settings by their names in lower case. All errors are appended to ``errors``.
    """
    import tomllib

    try:
        content = tomllib.loads(file.read_text())
    except OSError as error:
        errors.append(SettingError(str(file), f"The file cannot be read: {error.strerror}."))
        return {}
    except UnicodeDecodeError:
        errors.append(SettingError(str(file), "The file is not UTF-8 text."))
        return {}
    except tomllib.TOMLDecodeError as error:
        errors.append(SettingError(str(file), f"The file is not valid TOML: {error}."))
        return {}
    # The value of each setting can be in a file of its own.
    types = {**types, **{f"{name}_file": str for name in types}}
    faults = {name: _fault(name, value, types) for name, value in content.items()}
    errors += [SettingError(f"{name} in {file}", fault) for name, fault in faults.items() if fault]
    return {name.upper(): _as_text(value) for name, value in content.items() if not faults[name]}


def _fault(name: str, value: object, types: Mapping[str, type]) -> str:
    """Return what is wrong with a value, empty if nothing is."""
    if isinstance(value, dict):
        return "There are no sections. Remove the line in brackets."
    if name not in types:
        return f"There is no such setting. {suggestion(name.lower(), types)}".rstrip()
    expected = types[name] if types[name] in _EXPECTED else str
    # A boolean is an integer, too.
    return "" if type(value) is expected else _EXPECTED.get(expected, _TEXT)


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
