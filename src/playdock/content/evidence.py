"""Local evidence of which game a folder contains.

The files of stores and engines, the version resources of programs, and ids in names of folders and files yield *clues*:
the id of the game at a provider, or its probable name. A malformed file yields no clues and raises no error.
"""

import codecs
import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from heapq import nsmallest
from itertools import islice
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from playdock.content import naming
from playdock.content.products import meaningful_name

# The number of bytes from the beginning of a file that `clues_in` reads. The clues are at the beginning of these files.
MAX_CLUE_FILE_BYTES = 64 * 1024
# A game has a handful of such files; collections of games are not worth reading completely.
MAX_FILES = 40
# More than a page can show usefully.
_MAX_CLUES = 50
# Such files are near the top of a game's folder; deeper ones belong to bundled tools and other games.
_MAX_DEPTH = 6


class ClueKind(StrEnum):
    """The kind of a clue's value."""

    ID = "ID"
    NAME = "Name"


class Clue(Struct, frozen=True):
    """An id or a name of the game in a folder.

    ``source`` is the provider of an id, or a description of where a name was found. ``detail`` is the company if one is
    named, otherwise the file or folder that contains the clue, relative to the version.
    """

    kind: ClueKind
    source: str
    value: str
    detail: str = ""


Clues = tuple[Clue, ...]


def _id(provider: str, value: str, *, pattern: re.Pattern[str], detail: str = "") -> Clues:
    return (Clue(ClueKind.ID, provider, value, detail),) if pattern.fullmatch(value) else ()


def _named(source: str, text: str, *, detail: str = "") -> Clues:
    name = meaningful_name(text)
    return (Clue(ClueKind.NAME, source, name, detail),) if name else ()


_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def _text(data: bytes) -> str:
    """Decode UTF-8, UTF-16 or Windows-1252, the encodings that Windows programs write."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    if data[1:2] == b"\0":
        return data.decode("utf-16-le", "replace")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


_NOT_GAMES = frozenset(("480", "228980"))
"""Steam's example game, whose id developers use for testing, and its redistributables."""

_NUMBER = re.compile(r"[1-9]\d{0,19}", re.ASCII)
_STEAM_LINE = re.compile(r"\s*([1-9]\d{0,9})(?!\w)", re.ASCII)


def _steam(number: str) -> Clues:
    return () if number in _NOT_GAMES else _id("Steam", number, pattern=_NUMBER)


def steam_appid(data: bytes) -> Clues:
    """Parse `steam_appid.txt`, whose first line is the Steam id."""
    match = _STEAM_LINE.match(_text(data))
    return _steam(match[1]) if match else ()


_PAIR = re.compile(r'^[ \t]*"(appid|name)"[ \t]+"((?:[^"\\\r\n]|\\.)*)"', re.IGNORECASE | re.MULTILINE)


def steam_manifest(data: bytes) -> Clues:
    """Parse `appmanifest_<id>.acf`: Valve's KeyValues, one pair per line, starting with those of the game."""
    pairs: dict[str, str] = {}
    for key, value in _PAIR.findall(_text(data)):
        pairs.setdefault(key.lower(), re.sub(r"\\(.)", r"\1", value))
    ids = _steam(pairs.get("appid", ""))
    names = _named("Steam manifest", pairs.get("name", "")) if ids else ()
    return (*ids, *names)


_T = TypeVar("_T")


class _GogInfo(msgspec.Struct, rename="camel"):
    game_id: str
    root_game_id: str = ""
    name: str = ""


class _EpicManifest(msgspec.Struct, rename="pascal"):
    app_name: str
    main_game_app_name: str = ""
    display_name: str = ""


def gog_info(data: bytes) -> Clues:
    """Parse `goggame-<id>.info`. That of an add-on contains the id of its game, but not the name."""
    info = _json(data, _GogInfo)
    if info is None:
        return ()
    root = info.root_game_id or info.game_id
    ids = _id("GOG", root, pattern=_NUMBER)
    names = _named("goggame info", info.name) if ids and root == info.game_id else ()
    return (*ids, *names)


_EPIC_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)


def epic_manifest(data: bytes) -> Clues:
    """Parse `.egstore/*.mancpn` and the launcher's `*.item`; the id is the launcher's internal name of the game."""
    manifest = _json(data, _EpicManifest)
    if manifest is None:
        return ()
    root = manifest.main_game_app_name or manifest.app_name
    ids = _id("Epic", root, pattern=_EPIC_NAME)
    names = _named("Epic manifest", manifest.display_name) if ids and root == manifest.app_name else ()
    return (*ids, *names)


def _json(data: bytes, kind: type[_T]) -> _T | None:
    try:
        return msgspec.json.decode(_text(data).strip("\0 \t\r\n"), type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def unity_info(data: bytes) -> Clues:
    """Parse `app.info` of a Unity game: the company on the first line, the game on the second."""
    company, _, rest = _text(data).partition("\n")
    return _named("Unity app.info", rest.partition("\n")[0], detail=meaningful_name(company))


_ROLE = re.compile(r"[\s:(-]+(?:setup|installer|launcher)\)?$", re.IGNORECASE)


def version_resource(path: str, strings: Mapping[str, str]) -> Clues:
    """Return the product name in the version resource of a Windows program, or else its description."""
    detail = meaningful_name(strings.get("CompanyName", "")) or path
    names = (_ROLE.sub("", meaningful_name(strings.get(key, ""))) for key in ("ProductName", "FileDescription"))
    return next(filter(None, (_named("version resource", name, detail=detail) for name in names)), ())


_INSTALLER = re.compile(r"setup_(.+?)(?:_v?\d+(?:\.\d+)+.*|_\(.*)?\.exe", re.IGNORECASE)


def installer_name(filename: str) -> Clues:
    """Return the title in the file name of a GOG installer: `setup_<title>_<version>_(<build>).exe`."""
    match = _INSTALLER.fullmatch(filename)
    return _named("installer name", naming.title(match[1]), detail=filename) if match else ()


_TAGS = {
    "steam": ("Steam", _NUMBER),
    "gog": ("GOG", _NUMBER),
    "epic": ("Epic", _EPIC_NAME),
    "igdb": ("IGDB", _NUMBER),
    "pcgw": ("PCGamingWiki", _NUMBER),
    "pcgamingwiki": ("PCGamingWiki", _NUMBER),
    "giantbomb": ("GiantBomb", re.compile(r"(?:3030-)?[1-9]\d{0,9}", re.ASCII)),
}


def tags(name: str) -> Clues:
    """Return the ids in the name of a folder or file: `(steam-570)`, `[igdb-1942]`."""
    ids = ((*_TAGS[tag[1].lower()], tag[2]) for tag in naming.TAG.finditer(name))
    return tuple(
        clue for provider, pattern, value in ids for clue in _id(provider, value, pattern=pattern, detail=name)
    )


def folder_name(name: str) -> Clues:
    """Return the title in the name of a game's folder."""
    return () if naming.TAG.fullmatch(name.strip()) else _named("folder name", naming.title(name), detail=name)


def top_names(paths: Iterable[str]) -> Clues:
    """Return the clues in the names at the top level of a version: ids and installers."""
    tops = sorted({path.partition("/")[0] for path in paths})
    return tuple(clue for name in tops for clue in (*tags(name), *installer_name(name)))


_FILES: tuple[tuple[re.Pattern[str], Callable[[bytes], Clues]], ...] = tuple(
    (re.compile(rf"(?:.*/)?{pattern}", re.IGNORECASE | re.DOTALL), parse)
    for pattern, parse in (
        (r"steam_appid\.txt", steam_appid),
        (r"appmanifest_\d+\.acf", steam_manifest),
        (r"goggame-\d+\.info", gog_info),
        (r"\.egstore/[^/]+\.(?:mancpn|item)", epic_manifest),
        (r"[^/]+_data/app\.info", unity_info),
    )
)
_ENDINGS = (".txt", ".acf", ".info", ".mancpn", ".item")


def _parser_of(path: str) -> Callable[[bytes], Clues] | None:
    if not path[-7:].lower().endswith(_ENDINGS):
        return None
    return next((parse for pattern, parse in _FILES if pattern.fullmatch(path)), None)


def clue_files(paths: Iterable[str]) -> list[str]:
    """Return the paths of at most `MAX_FILES` files that `clues_in` can parse, those with the fewest parents first."""
    readable = (path for path in paths if _parser_of(path) and path.count("/") <= _MAX_DEPTH)
    return nsmallest(MAX_FILES, readable, key=lambda path: (path.count("/"), path))


def clues_in(path: str, data: bytes) -> Clues:
    """Return the clues in the first `MAX_CLUE_FILE_BYTES` bytes of a file from `clue_files`."""
    parse = _parser_of(path)
    clues = parse(data[:MAX_CLUE_FILE_BYTES]) if parse else ()
    return tuple(replace(clue, detail=clue.detail or path) for clue in clues)


def distinct(clues: Iterable[Clue]) -> Clues:
    """Return clues without duplicates of the same value from the same source, at most 50."""
    first: dict[tuple[ClueKind, str, str], Clue] = {}
    for clue in clues:
        first.setdefault((clue.kind, clue.source, clue.value), clue)
    return tuple(islice(first.values(), _MAX_CLUES))
