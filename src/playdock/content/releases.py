"""What the name of a folder or archive says of a release: the game's title, the version, and the store it is from.

`Hollow Knight v1.5.78 (GOG)` is the version `1.5.78` of Hollow Knight from GOG. Numbers and years that belong to titles
are no versions: `Half-Life 2`, `Anno 1404`, `Doom (1993)`.
"""

import re
from collections.abc import Mapping

from msgspec import Struct

from playdock.content.naming import ARCHITECTURE, PHASE, STORE, TAG, title, without_suffix, words
from playdock.content.products import meaningful_name

_START, _END = r"(?<![^\W_])", r"(?![^\W_])"
_STAGE = r"(?:pre[ ._-]?)?alpha|beta|rc|preview|hotfix|patch|pre|hf"
# Named versions are versions anywhere; dotted numbers may be parts of titles.
_NAMED = (
    r"(?P<date>(?:19|20)\d\d([._-]?)(?:0[1-9]|1[0-2])\2(?:0[1-9]|[12]\d|3[01]))"
    rf"|(?:(?:version|ver)[ ._-]?|v|(?-i:v\.))(?P<number>\d+(?:[._-]\d+)*(?:[a-z]{{1,2}}\d*)?){_END}"
    r"|(?P<build>(?:build|rev(?:ision)?|release|update|patch|hotfix|alpha|beta|preview|rc)[ ._-]?\d+(?:\.\d+)*[a-z]?)"
    r"|(?P<revision>[rb]\d{2,}|[abr]\d+(?:\.\d+)+)"
)
_DOTTED = r"(?P<dotted>\d+(?:\.\d+)+(?:[a-ce-z][a-z]?\d*)?)"
_VERSION = re.compile(
    rf"{_START}(?:{_NAMED}|{_DOTTED}){_END}(?:[ ._-]*(?P<stage>(?:{_STAGE})[ ._-]?\d*){_END})?", re.IGNORECASE
)
_LAST_STAGE = re.compile(rf"(?<=[^\s._-])[\s._(\[-]+(early access|{PHASE})[)\]]?$", re.IGNORECASE)
_SOURCES = {
    "GOG": r"gog(?:\.com)?",
    "Steam": r"steam",
    "itch.io": r"itch(?:\.io)?",
    "Epic": r"epic(?:[ ._-]?games)?(?:[ ._-]?store)?|egs",
    "Humble": r"humble(?:[ ._-]?bundle)?",
    "EA": r"origin|ea[ ._-]?app",
    "Ubisoft": r"uplay|ubisoft[ ._-]?connect",
}
_SOURCE = re.compile(_START + "(?:" + "|".join(f"({each})" for each in _SOURCES.values()) + ")" + _END, re.IGNORECASE)
_BRACKETS = re.compile(r"\(([^()]*)\)|\[([^\]]*)\]|\{([^}]*)\}")
# GOG's offline installers end with the number of the build: `setup_<title>_<version>_(<build>).exe`.
_GOG_INSTALLER = re.compile(r"setup_.+_\(\d{4,}\)\.exe", re.IGNORECASE)
# The name of a group at the end, in names without spaces.
_GROUP = re.compile(r"-[A-Za-z][A-Za-z0-9_]{1,14}$")
_GROUPS = re.compile(
    r"-(?:codex|skidrow|reloaded|razor1911|flt|plaza|hoodlum|tenoke|rune|empress|tinyiso|cpy|darksiders|simplex|prophet"
    r"|i_know|fitgirl|dodi|elamigos|kaos|p2p|doge|unleashed|postmortem|deviance|fairlight|vitality|ali213|3dm)$",
    re.IGNORECASE,
)
_NOTHING_MORE = re.compile(
    rf"(?:[\W_]|{_START}(?:{ARCHITECTURE}|{STORE}|{PHASE}|build|incl|and|all|with|dlcs?|\d{{4,}}|[a-z]{{2}}){_END})*",
    re.IGNORECASE,
)
# Names of folders with versions that have no numbers.
_OTHER_VERSION = re.compile(
    rf"(?:{ARCHITECTURE}|{STORE}|{PHASE}|latest|current|newest|old|new|final|retail|release|stable|full|demo|patched"
    r"|original|vanilla|default|base|game|installer|setup|\d{1,4})",
    re.IGNORECASE,
)
_MIN_SURE_PARTS = 3
_MIN_BUILD_DIGITS = 5
# Words in names of versions that a label need not repeat.
_UNIMPORTANT = frozenset(
    words("version ver v build release rev update com io itch steam epic games store humble bundle drm free")
)
# Unity and Unreal Engine write their own version into programs.
_ENGINE_VERSION = re.compile(
    r"(?:20\d\d|[56])\.\d+\.\d+(?:[abfp]\d|\.\d{6})|\+\+UE\d|.*Release-[45]\.\d", re.IGNORECASE
)
_REPORTED = re.compile(
    r"[1-9]\d{0,5}(?:\.\d{1,10}){1,3}(?:[ -]?(?:alpha|beta|rc)[ .]?\d*|[a-z])?|0\.\d{1,10}(?:\.\d{1,10}){0,2}",
    re.IGNORECASE,
)
# What development tools write if nobody enters a version.
_DEFAULTS = frozenset(("1.0.0.0", "1.0.0", "1.0", "0.0.0.0", "0.0.0", "0.0", "1.0.0.1"))


class Release(Struct, frozen=True):
    """A game's title, and the version and the store, which are empty if the name does not have them."""

    title: str
    version: str = ""
    source: str = ""

    @property
    def label(self) -> str:
        """The version and the store as one text: `1.5.78 (GOG)`."""
        if not self.version:
            return self.source
        return f"{self.version} ({self.source})" if self.source else self.version


def release_of(name: str) -> Release:
    """Return what a name of a folder, archive or installer says."""
    bare = without_suffix(name)
    found = next((match for match in _VERSION.finditer(bare) if _is_version(match, bare)), None)
    if found is None:
        grouped = _GROUPS.sub("", bare) if " " not in bare else bare
        stage = _LAST_STAGE.search(grouped)
        return Release(title(grouped) or title(name), stage[1] if stage else "", _source(name, bare))
    before = bare[: found.start()].rstrip(" \t._-([{,+")
    own = title(_BRACKETS.sub(_without_source, before)) if _has_title(before) else name.strip()
    return Release(own, _text(found), _source(name, bare[found.end() :], before))


def _without_source(match: re.Match[str]) -> str:
    return " " if _SOURCE.fullmatch(match[0][1:-1].strip()) else match[0]


def label_of(name: str, *, game: str) -> str:
    """Return the version and the store in the name of a version, empty if it says more than that and the title.

    ``game`` is the name of the game's folder. `Deluxe Edition v1.2` has no label, because two editions may have the
    same version.
    """
    return "" if says_more(name, game=game) else release_of(name).label


def says_more(name: str, *, game: str) -> bool:
    """Return whether a name has other words than the title of a game, a version and a store.

    ``game`` is the name of the game's folder.
    """
    rest = set(words(without_suffix(name))).difference(
        words(title(game)), words(release_of(name).label), words(release_of(game).title)
    )
    # Long numbers are those of builds, after the version.
    return any(not (word.isdecimal() and len(word) >= _MIN_BUILD_DIGITS) for word in rest - _UNIMPORTANT)


def reported_version(strings: Mapping[str, str]) -> str:
    """Return the version in the version resource of a game's program, empty if it is that of an engine or missing."""
    product, texts = strings.get("ProductName", ""), [strings.get(key, "") for key in ("ProductVersion", "FileVersion")]
    if (product and not meaningful_name(product)) or any(_ENGINE_VERSION.match(text.strip()) for text in texts):
        return ""
    for text in texts:
        numbers = re.sub(r"\s*,\s*", ".", text.strip().rstrip("\0"))
        if _REPORTED.fullmatch(numbers) and numbers not in _DEFAULTS:
            return re.sub(r"(?<=\d\.\d)(?:\.0)+$|(?<=\d\d)(?:\.0){2,}$", "", numbers)
    return ""


def is_version_name(name: str, *, game: str) -> bool:
    """Return whether a name in the folder of a game looks like that of a version, and not like a part of the game."""
    release = release_of(name)
    if release.version:
        return True
    rest = without_suffix(name).strip()
    own = title(game)
    if words(release.title) == words(own):
        return True
    return all(_OTHER_VERSION.fullmatch(part) for part in re.split(r"[\s._()\[\]-]+", rest) if part) and bool(rest)


def _is_version(match: re.Match[str], text: str) -> bool:
    """Return whether what looks like a version is one, and not a part of the title."""
    before, after = text[: match.start()], text[match.end() :]
    if not _has_title(before):
        return _NOTHING_MORE.fullmatch(_GROUP.sub("", after)) is not None
    if match["dotted"] is None or match["dotted"].count(".") + 1 >= _MIN_SURE_PARTS:
        return True
    in_brackets = before.rstrip()[-1:] in tuple("([{")
    rest = _BRACKETS.sub(" ", _GROUP.sub("", after) if " " not in text else after)
    return in_brackets or _NOTHING_MORE.fullmatch(rest) is not None


def _has_title(before: str) -> bool:
    """Return whether what is before a version contains a title, and not only a store or a platform."""
    return _NOTHING_MORE.fullmatch(before) is None


def _text(match: re.Match[str]) -> str:
    """Return a version in its usual form: without `v`, and with dots in numbers and hyphens in dates."""
    stage = f" {_spaced(match['stage'])}" if match["stage"] else ""
    if match["date"]:
        digits = re.sub(r"\D", "", match["date"])
        return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}{stage}"
    if match["number"]:
        return re.sub(r"[_-]", ".", match["number"]) + stage
    return (_spaced(match["build"]) if match["build"] else match["revision"] or match["dotted"]) + stage


def _spaced(text: str) -> str:
    """Return a word and its number with a space between: `Build 2153` for `Build_2153`."""
    return re.sub(r"(?<=[A-Za-z])[ ._-]?(?=\d)", " ", text)


def _source(name: str, rest: str, before: str = "") -> str:
    """Return the store in brackets or after the title. Titles contain the words too: `Epic Battle Fantasy`."""
    if _GOG_INSTALLER.fullmatch(name.strip()):
        return "GOG"
    bracketed = " ".join(
        filter(None, (group for match in _BRACKETS.finditer(TAG.sub(" ", name)) for group in match.groups()))
    )
    endings = rest if before else _ending(rest)
    for text in (bracketed, endings, before if before and not _has_title(before) else ""):
        if match := _SOURCE.search(text):
            return list(_SOURCES)[(match.lastindex or 1) - 1]
    return ""


def _ending(text: str) -> str:
    """Return the last word of a name, if a separator that titles do not have is before it."""
    match = re.search(r"[-_.]([A-Za-z.]+)$", text)
    return match[1] if match else text if _NOTHING_MORE.fullmatch(text) else ""
