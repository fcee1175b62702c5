"""The files in which Steam records its libraries and what it has installed. Pure."""

import re
from collections.abc import Sequence
from pathlib import Path

from playdock_client.stores.found_game import FoundGame, Store
from playdock_client.stores.key_values import map_of, read_key_values, text_of

_ID = re.compile(r"[1-9]\d{0,9}", re.ASCII)
# The bits of `StateFlags`; any other one says that Steam is updating, has paused or has lost something.
_FULLY_INSTALLED = "4"
_TOOL = re.compile(r"Proton\b|Steam Linux Runtime|Steamworks Common|SteamVR$", re.IGNORECASE)


def steam_libraries(text: str) -> Sequence[str]:
    """Return the folders of libraries in ``libraryfolders.vdf``, in its form of today and in that before 2021."""
    values = map_of(read_key_values(text), "libraryfolders")
    numbered = [(key, value) for key, value in values.items() if key.isdecimal()]
    folders = [value if isinstance(value, str) else text_of(value, "path") for _, value in numbered]
    return [folder for folder in folders if folder]


def steam_game(text: str, library: Path) -> FoundGame | None:
    """Return the game of an ``appmanifest_<id>.acf`` of a library, None if it is no game."""
    state = map_of(read_key_values(text), "appstate")
    app_id, name, folder = (text_of(state, key) for key in ("appid", "name", "installdir"))
    if not _ID.fullmatch(app_id) or not name or _TOOL.match(name) or not _is_name(folder):
        return None
    complete = text_of(state, "stateflags") == _FULLY_INSTALLED
    build = text_of(state, "buildid")
    return FoundGame(
        name=name,
        folder=library / "steamapps" / "common" / folder,
        store=Store.STEAM,
        id=app_id,
        version=f"build {build}" if _ID.fullmatch(build) else "",
        problem="" if complete else "Steam has not finished installing or updating it.",
    )


def _is_name(text: str) -> bool:
    return text not in ("", ".", "..") and not any(letter in text for letter in "/\\:\0")
