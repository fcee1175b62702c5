"""Adds games to the content of ``shortcuts.vdf`` and removes them. Pure; other entries are not changed."""

import shlex
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from playdock_client.steam.vdf import Item, Map, UnknownFormat

_ROOT = "shortcuts"
# Steam's ids of games that it does not sell have this bit.
_NON_STEAM = 0x80000000


@dataclass(frozen=True, slots=True)
class SteamShortcut:
    """A game in Steam's list. `key` identifies its installation; `program` and `folder` are paths."""

    key: str
    name: str
    program: str
    options: str
    folder: str
    icon: str = ""

    @property
    def app_id(self) -> int:
        """The id of the game in Steam, from which the names of its pictures are made."""
        return zlib.crc32(self.key.encode(errors="surrogateescape")) | _NON_STEAM

    def entry(self) -> Map:
        """Return the fields, in the order in which Steam writes them."""
        return Map(
            (
                Item("appid", _signed(self.app_id)),
                Item("AppName", self.name),
                Item("Exe", f'"{self.program}"'),
                Item("StartDir", f'"{self.folder}"'),
                Item("icon", self.icon),
                Item("ShortcutPath", ""),
                Item("LaunchOptions", self.options),
                Item("IsHidden", 0),
                Item("AllowDesktopConfig", 1),
                Item("AllowOverlay", 1),
                Item("OpenVR", 0),
                Item("Devkit", 0),
                Item("DevkitGameID", ""),
                Item("DevkitOverrideAppID", 0),
                Item("LastPlayTime", 0),
                Item("FlatpakAppID", ""),
                Item("tags", Map()),
            )
        )


def empty_list() -> Map:
    """Return the content of a list without games."""
    return Map((Item(_ROOT, Map()),))


def app_id_of(content: Map, shortcut: SteamShortcut) -> int | None:
    """Return the id under which a game is in the list, which Steam may have chosen, or None."""
    entry = next((each for each in _entries(content) if _is_of(each, shortcut)), None)
    found = entry.value.find("appid") if entry and isinstance(entry.value, Map) else None
    return found & 0xFFFFFFFF if isinstance(found, int) else None


def with_shortcut(content: Map, shortcut: SteamShortcut) -> Map:
    """Return the content with a game. If it is there, the client's fields are replaced, and Steam's are kept."""
    entries = _entries(content)
    present = next((each for each in entries if _is_of(each, shortcut)), None)
    if present is not None:
        updated = Item(present.key, _merged(present.value, shortcut.entry()))
        return _with_entries(content, [updated if each is present else each for each in entries])
    number = max((int(each.key) for each in entries if each.key.isdecimal()), default=-1) + 1
    return _with_entries(content, [*entries, Item(str(number), shortcut.entry())])


def without_shortcut(content: Map, shortcut: SteamShortcut) -> Map:
    """Return the content without a game. Other entries keep their numbers, so that they do not change at all."""
    return _with_entries(content, [each for each in _entries(content) if not _is_of(each, shortcut)])


def is_empty(content: Map) -> bool:
    """Return whether the list has no games."""
    return not _entries(content)


def _entries(content: Map) -> Sequence[Item]:
    """Return the entries of the list. Raises UnknownFormat if there is no list."""
    if len(content.items) == 1 and content.items[0].key.lower() == _ROOT and isinstance(content.items[0].value, Map):
        return content.items[0].value.items
    raise UnknownFormat("The list of games has another structure than expected.")


def _with_entries(content: Map, entries: Sequence[Item]) -> Map:
    return Map((Item(content.items[0].key, Map(tuple(entries))),))


def _is_of(entry: Item, shortcut: SteamShortcut) -> bool:
    """Return whether an entry was made for a game, by the client or by Steam for the client."""
    if not isinstance(entry.value, Map):
        return False
    program, options = entry.value.find("Exe"), entry.value.find("LaunchOptions")
    if entry.value.find("appid") == _signed(shortcut.app_id):
        return True
    return (
        isinstance(program, str)
        and isinstance(options, str)
        and program.strip('"') == shortcut.program
        and _words(options) == _words(shortcut.options)
    )


def _words(options: str) -> Sequence[str]:
    """Return the arguments in a text, whichever quotation marks Steam uses."""
    try:
        return shlex.split(options)
    except ValueError:
        return [options]


def _merged(present: str | int | Map, wanted: Map) -> Map:
    """Return the present fields, with those that belong to the client replaced."""
    own = {"AppName", "Exe", "StartDir", "icon", "LaunchOptions"}
    values = {each.key.lower(): each.value for each in wanted.items if each.key in own}
    items = present.items if isinstance(present, Map) else ()
    return Map(tuple(Item(each.key, values.get(each.key.lower(), each.value)) for each in items))


def _signed(number: int) -> int:
    """Return an unsigned 32-bit number as the signed one with the same bits, as Steam stores it."""
    return number - 0x100000000 if number & 0x80000000 else number
