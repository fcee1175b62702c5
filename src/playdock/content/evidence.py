"""Evidence: what a game's folder tells about which game it is, without asking anybody.

Shops and engines leave files behind, programs say what they belong to, and people write ids into names. Each of that
gives *clues*: an id at a provider, or a name that the game probably has. Nothing here raises on a file that is not what
its name promises; such a file gives no clues.
"""

import codecs
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from heapq import nsmallest
from itertools import islice
from typing import TypeVar

import msgspec

from playdock.content import naming
from playdock.content.products import telling

LONGEST = 64 * 1024
"""Bytes from the beginning of a file that `clues_in` wants."""

MOST_FILES = 40
_MOST_CLUES = 50
_DEEPEST = 6


class ClueKind(StrEnum):
    """What a clue's value is."""

    ID = "ID"
    NAME = "Name"


@dataclass(frozen=True, slots=True)
class Clue:
    """One thing that tells which game it is.

    `source`: for an id the provider it counts at, for a name where it stood, in words for a person. `detail`: the
    company, where one was named, or else the file or folder that told, its path relative to the version.
    """

    kind: ClueKind
    source: str
    value: str
    detail: str = ""


Clues = tuple[Clue, ...]


def _id(provider: str, value: str, *, form: re.Pattern[str], detail: str = "") -> Clues:
    return (Clue(ClueKind.ID, provider, value, detail),) if form.fullmatch(value) else ()


def _named(source: str, text: str, *, detail: str = "") -> Clues:
    name = telling(text)
    return (Clue(ClueKind.NAME, source, name, detail),) if name else ()


_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def _text(data: bytes) -> str:
    """Read what Windows programs write: UTF-8, UTF-16, or the old code page."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    if data[1:2] == b"\0":
        return data.decode("utf-16-le", "replace")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


_TESTING = frozenset(("480", "228980"))
"""Steam's example game, which many games are tried out as, and its redistributables."""

_NUMBER = re.compile(r"[1-9]\d{0,19}", re.ASCII)
_STEAM_LINE = re.compile(r"\s*([1-9]\d{0,9})(?!\w)", re.ASCII)


def _steam(number: str) -> Clues:
    return () if number in _TESTING else _id("Steam", number, form=_NUMBER)


def steam_appid(data: bytes) -> Clues:
    """Read `steam_appid.txt`, which has the id at Steam in its first line."""
    found = _STEAM_LINE.match(_text(data))
    return _steam(found[1]) if found else ()


_PAIR = re.compile(r'^[ \t]*"(appid|name)"[ \t]+"((?:[^"\\\r\n]|\\.)*)"', re.IGNORECASE | re.MULTILINE)


def steam_manifest(data: bytes) -> Clues:
    """Read `appmanifest_<id>.acf`: Valve's KeyValues, a pair a line, those of the game first."""
    pairs: dict[str, str] = {}
    for key, value in _PAIR.findall(_text(data)):
        pairs.setdefault(key.lower(), re.sub(r"\\(.)", r"\1", value))
    ids = _steam(pairs.get("appid", ""))
    names = _named("Steam manifest", pairs.get("name", "")) if ids else ()
    return (*ids, *names)


_Found = TypeVar("_Found")


class _GogInfo(msgspec.Struct, rename="camel"):
    game_id: str
    root_game_id: str = ""
    name: str = ""


class _EpicManifest(msgspec.Struct, rename="pascal"):
    app_name: str
    main_game_app_name: str = ""
    display_name: str = ""


def gog_info(data: bytes) -> Clues:
    """Read `goggame-<id>.info`. That of an addition names the game it belongs to, but not by name."""
    info = _json(data, _GogInfo)
    if info is None:
        return ()
    root = info.root_game_id or info.game_id
    ids = _id("GOG", root, form=_NUMBER)
    names = _named("goggame info", info.name) if ids and root == info.game_id else ()
    return (*ids, *names)


_EPIC_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)


def epic_manifest(data: bytes) -> Clues:
    """Read `.egstore/*.mancpn` and the launcher's `*.item`; the id is what the launcher itself calls the game."""
    manifest = _json(data, _EpicManifest)
    if manifest is None:
        return ()
    root = manifest.main_game_app_name or manifest.app_name
    ids = _id("Epic", root, form=_EPIC_NAME)
    names = _named("Epic manifest", manifest.display_name) if ids and root == manifest.app_name else ()
    return (*ids, *names)


def _json(data: bytes, kind: type[_Found]) -> _Found | None:
    try:
        return msgspec.json.decode(_text(data).strip("\0 \t\r\n"), type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def unity_info(data: bytes) -> Clues:
    """Read `app.info` of a game made with Unity: the company's line, then the game's."""
    company, _, rest = _text(data).partition("\n")
    return _named("Unity app.info", rest.partition("\n")[0], detail=telling(company))


_ROLE = re.compile(r"[\s:(-]+(?:setup|installer|launcher)\)?$", re.IGNORECASE)


def version_resource(path: str, strings: Mapping[str, str]) -> Clues:
    """Read the strings of a Windows program's version resource: its product, or else what it says of itself."""
    detail = telling(strings.get("CompanyName", "")) or path
    names = (_ROLE.sub("", telling(strings.get(key, ""))) for key in ("ProductName", "FileDescription"))
    return next(filter(None, (_named("version resource", name, detail=detail) for name in names)), ())


_INSTALLER = re.compile(r"setup_(.+?)(?:_v?\d+(?:\.\d+)+.*|_\(.*)?\.exe", re.IGNORECASE)


def installer_name(filename: str) -> Clues:
    """Read the name of an installer from GOG: `setup_<title>_<version>_(<build>).exe`."""
    found = _INSTALLER.fullmatch(filename)
    return _named("installer name", naming.title(found[1]), detail=filename) if found else ()


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
    """Read the ids that somebody wrote into the name of a folder or file: `(steam-570)`, `[igdb-1942]`."""
    found = ((_TAGS[tag[1].lower()], tag[2]) for tag in naming.TAG.finditer(name))
    return tuple(clue for (provider, form), value in found for clue in _id(provider, value, form=form, detail=name))


def folder_name(name: str) -> Clues:
    """Read the title in the name of a game's folder."""
    return () if naming.TAG.fullmatch(name.strip()) else _named("folder name", naming.title(name), detail=name)


def top_names(paths: Iterable[str]) -> Clues:
    """Read the names of what lies at the top of a version: tags, and installers."""
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


def wanted(paths: Iterable[str]) -> list[str]:
    """The paths of files that `clues_in` can read, at most MOST_FILES, those nearest to the top first."""
    readable = (path for path in paths if _parser_of(path) and path.count("/") <= _DEEPEST)
    return nsmallest(MOST_FILES, readable, key=lambda path: (path.count("/"), path))


def clues_in(path: str, data: bytes) -> Clues:
    """What a wanted file tells, by its first LONGEST bytes."""
    parse = _parser_of(path)
    return tuple(replace(clue, detail=clue.detail or path) for clue in parse(data[:LONGEST])) if parse else ()


def distinct(clues: Iterable[Clue]) -> Clues:
    """The first of those that say the same from the same source, and no more than anybody could look at."""
    first: dict[tuple[ClueKind, str, str], Clue] = {}
    for clue in clues:
        first.setdefault((clue.kind, clue.source, clue.value), clue)
    return tuple(islice(first.values(), _MOST_CLUES))
