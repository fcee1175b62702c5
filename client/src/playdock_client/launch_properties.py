"""How a player wants a game to be launched: arguments, environment variables, and settings for Windows games on Linux.

They are stored in the installation's folder, so that they move with it and are removed with it.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from playdock_client.documents import read_document, write_document
from playdock_client.errors import ClientError
from playdock_client.installation import OWN_FOLDER, SESSION_VARIABLE

_FILE = "properties.json"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_COMPAT_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")
_PROTON_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ +-]{0,99}")
# Linux allows 128 KiB for one argument or variable; a player types far less.
_MAX_LENGTH = 4096
# They belong to the launcher.
_RESERVED_VARIABLES = frozenset({SESSION_VARIABLE, "PLAYDOCK_TOKEN", "WINEPREFIX"})
# Those that umu-launcher knows.
STORES = (
    "none", "amazon", "battlenet", "ea", "egs", "gog", "humble", "itchio", "steam", "ubisoft", "umu", "zoomplatform",
)  # fmt: skip


class InvalidProperties(ClientError):
    """A property is invalid; the message says which and why."""


class LaunchProperties(msgspec.Struct, frozen=True, rename="camel"):
    """The player's properties of one installation.

    `program` is started in place of the version's: a path, which may begin with the installation's folder. `arguments`
    follow those of the version, and are split like them. `proton` is a version such as ``GE-Proton10-4``,
    or a folder; `compat_id` replaces the version's; `store` is where the fixes of `compat_id` are looked up.
    """

    program: str = ""
    arguments: str = ""
    environment: Mapping[str, str] = {}
    proton: str = ""
    compat_id: str = ""
    store: str = ""


def read_properties(folder: Path) -> LaunchProperties:
    """Return the properties of an installation, the defaults if there are none or they are damaged."""
    try:
        properties = read_document(folder / OWN_FOLDER / _FILE, LaunchProperties)
        if properties is not None:
            check_properties(properties)
            return properties
    except (msgspec.MsgspecError, InvalidProperties, OSError):
        pass
    return LaunchProperties()


def write_properties(folder: Path, properties: LaunchProperties) -> None:
    """Store the properties of an installation. Raises InvalidProperties."""
    check_properties(properties)
    write_document(folder / OWN_FOLDER / _FILE, properties)


def check_properties(properties: LaunchProperties) -> None:
    """Raise InvalidProperties if the properties are invalid."""
    _check_text("The program is", properties.program)
    _check_text("The launch arguments are", properties.arguments)
    for name, value in properties.environment.items():
        if not _VARIABLE.fullmatch(name):
            raise InvalidProperties(
                f"“{name}” is not the name of an environment variable. Use letters, digits and underscores."
            )
        if name in _RESERVED_VARIABLES:
            raise InvalidProperties(f"The environment variable {name} is set by the launcher. Remove it.")
        _check_text(f"The environment variable {name} is", value)
    if properties.compat_id and not _COMPAT_ID.fullmatch(properties.compat_id):
        raise InvalidProperties("The compatibility ID is invalid. Use letters, digits, dots and dashes: umu-1234.")
    if properties.store and properties.store not in STORES:
        raise InvalidProperties(f"The store “{properties.store}” is unknown. Choose one of: {', '.join(STORES)}.")
    _check_proton(properties.proton)


def _check_text(subject: str, text: str) -> None:
    if _CONTROL.search(text):
        raise InvalidProperties(f"{subject} invalid: control characters are not allowed.")
    if len(text) > _MAX_LENGTH:
        raise InvalidProperties(f"{subject} too long. Use at most {_MAX_LENGTH:,} characters.")


def _check_proton(proton: str) -> None:
    _check_text("The Proton version is", proton)
    if proton and not _PROTON_VERSION.fullmatch(proton) and not Path(proton).is_absolute():
        raise InvalidProperties("The Proton version is invalid. Use its name, such as GE-Proton10-4, or its folder.")
