"""The files in which GOG's installers, Galaxy and Heroic record what they have installed. Pure."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from playdock_client.decoding import decode_json
from playdock_client.stores.found_game import FoundGame, Store

_ID = re.compile(r"[1-9]\d{0,19}", re.ASCII)
# The lines of `gameinfo`: name, version, version of the developer, language, id.
_NAME, _VERSION, _PRODUCT = 0, 1, 4


class _GogInfo(msgspec.Struct, rename="camel"):
    game_id: str
    root_game_id: str = ""
    name: str = ""
    build_id: str = ""


class _HeroicGame(msgspec.Struct, rename="camel"):
    app_name: str
    path: str = msgspec.field(name="install_path", default="")
    version: str | None = None
    is_dlc: bool = msgspec.field(name="is_dlc", default=False)


class _HeroicGames(msgspec.Struct):
    installed: list[msgspec.Raw]


def windows_game(data: bytes, folder: Path) -> FoundGame | None:
    """Return the game of a ``goggame-<id>.info``, None if it is that of an add-on."""
    try:
        info = decode_json(data.removeprefix(b"\xef\xbb\xbf"), _GogInfo)
    except msgspec.MsgspecError:
        return None
    if not _ID.fullmatch(info.game_id) or info.root_game_id not in ("", info.game_id):
        return None
    version = f"build {info.build_id}" if _ID.fullmatch(info.build_id) else ""
    return FoundGame(info.name.strip() or folder.name, folder, Store.GOG, info.game_id, version)


def linux_game(text: str, folder: Path) -> FoundGame | None:
    """Return the game of the file ``gameinfo`` that installers for Linux write, None if it has no id."""
    lines = [line.strip() for line in text.splitlines()[: _PRODUCT + 1]]
    if len(lines) <= _PRODUCT or not _ID.fullmatch(lines[_PRODUCT]) or not lines[_NAME]:
        return None
    return FoundGame(lines[_NAME], folder, Store.GOG, lines[_PRODUCT], lines[_VERSION])


def heroic_games(data: bytes) -> Mapping[Path, FoundGame]:
    """Return the games in ``gog_store/installed.json`` of Heroic by their folders, which have their names."""
    games: Sequence[FoundGame] = [
        FoundGame(Path(each.path).name, Path(each.path), Store.GOG, each.app_name, each.version or "")
        for each in _heroic_list(data)
        if each.path and not each.is_dlc and _ID.fullmatch(each.app_name)
    ]
    return {each.folder: each for each in games}


def _heroic_list(data: bytes) -> list[_HeroicGame]:
    try:
        listed = decode_json(data, _HeroicGames).installed
    except msgspec.MsgspecError:
        return []
    found = []
    for each in listed:
        try:
            found.append(decode_json(bytes(each), _HeroicGame))
        except msgspec.MsgspecError:
            continue
    return found
