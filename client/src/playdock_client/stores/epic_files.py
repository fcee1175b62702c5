"""The files in which Epic's launcher, legendary and Heroic record what they have installed. Pure."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from playdock_client.decoding import decode_json
from playdock_client.stores.found_game import FoundGame, Store

_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_UNFINISHED = "Epic's launcher has not finished installing it."


class _Item(msgspec.Struct, rename="pascal"):
    app_name: str
    install_location: str
    display_name: str = ""
    app_version_string: str = ""
    main_game_app_name: str = ""
    # "true" or "false".
    ownership_token: str = ""
    is_incomplete: bool = msgspec.field(name="bIsIncompleteInstall", default=False)


class _LegendaryGame(msgspec.Struct):
    app_name: str
    install_path: str
    title: str = ""
    version: str = ""
    is_dlc: bool = False
    requires_ot: bool = False
    needs_verification: bool = False


def launcher_game(data: bytes) -> FoundGame | None:
    """Return the game of an ``*.item`` of Epic's launcher, None if it is that of an add-on."""
    try:
        item = decode_json(data.removeprefix(b"\xef\xbb\xbf"), _Item)
    except msgspec.MsgspecError:
        return None
    if not _ID.fullmatch(item.app_name) or item.main_game_app_name not in ("", item.app_name):
        return None
    return _game(
        item.install_location,
        name=item.display_name,
        app_name=item.app_name,
        version=item.app_version_string,
        problem=_UNFINISHED if item.is_incomplete else "",
        needs_store=item.ownership_token.lower() == "true",
    )


def legendary_games(data: bytes) -> Sequence[FoundGame]:
    """Return the games in ``installed.json`` of legendary, which Heroic uses too."""
    try:
        listed = decode_json(data, dict[str, msgspec.Raw])
    except msgspec.MsgspecError:
        return []
    return [game for each in listed.values() if (game := _legendary_game(bytes(each)))]


def _legendary_game(data: bytes) -> FoundGame | None:
    try:
        game = decode_json(data, _LegendaryGame)
    except msgspec.MsgspecError:
        return None
    if game.is_dlc or not _ID.fullmatch(game.app_name):
        return None
    return _game(
        game.install_path,
        name=game.title,
        app_name=game.app_name,
        version=game.version,
        problem="Heroic or legendary has not verified it." if game.needs_verification else "",
        needs_store=game.requires_ot,
    )


def _game(
    location: str, *, name: str, app_name: str, version: str, problem: str, needs_store: bool
) -> FoundGame | None:
    folder = Path(location)
    if not location or "\0" in location or not folder.name:
        return None
    return FoundGame(name.strip() or folder.name, folder, Store.EPIC, app_name, version, problem, needs_store)
