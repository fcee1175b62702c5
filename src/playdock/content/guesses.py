"""Detection of the program that starts a game.

The caller lists the files of a version, reads the first bytes of those on the *shortlist*, and gets *guesses* in
descending order of their match. The match is 1 for a program with the name of the game in a usual folder, low for one
with another name, and 0 only for programs whose name shows that they are not the game, such as uninstallers.

The weights below were chosen so that the program of each game in the tests is the first guess.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nlargest
from posixpath import commonpath
from typing import Self

from msgspec import Struct
from msgspec.structs import replace
from rapidfuzz import fuzz

from playdock.content import naming, programs
from playdock.content.naming import Name
from playdock.content.programs import Platform, Program

# Each file on the shortlist costs a read, which may be slow on network storage.
MAX_SHORTLIST = 256
# The page offers the guesses as suggestions.
MAX_GUESSES = 200
# A precise rating takes much longer than the rough one of `_Prominence`.
_MAX_RATED = 1000

# Any program may be the one, so its match is above that of an uninstaller.
_MIN_MATCH = 0.02
# A program called `game` or `start` says nothing about the title but is probably the right one.
_TYPICAL_SIMILARITY = 0.5
# The name of a bundle says slightly less than that of the program in it.
_BUNDLE_WEIGHT = 0.9
# DOS and 16-bit Windows programs are usually not what starts a game that also has a newer program.
_LEGACY_WEIGHT = 0.5
# Per parent folder: programs that start games are near the top, or in the usual folders of a platform or engine.
_USUAL_FOLDER_WEIGHT = 0.97
_OTHER_FOLDER_WEIGHT = 0.88
# Deducted from a percentage of similarity for each level of depth in the rough rating.
_DEPTH_PENALTY = 12

_STARTERS = frozenset(
    ("game", "start", "run", "launch", "launcher", "play", "startgame", "rungame", "launchgame", "startprotectedgame")
)
_TYPICAL = _STARTERS | {"main", "nw", "dosbox", "scummvm"}
_SCRIPTS = frozenset(("sh", "bat", "cmd", "command", ""))
_UNIX_FOLDERS = frozenset(
    ("usr", "local", "opt", "games", "bin", "bin32", "bin64", "linux", "linux32", "linux64", "x86_64")
)
_OTHER_FOLDERS = frozenset(("windows", "win32", "win64", "x86", "x64", "mac", "macos", "osx", "contents", "binaries"))
_ENGINE_FOLDERS = frozenset(
    ("windowsnoeditor", "linuxnoeditor", "macnoeditor", "system", "game", "app", "release", "retail")
)
_USUAL_FOLDERS = _UNIX_FOLDERS | _OTHER_FOLDERS | _ENGINE_FOLDERS


class ProgramFile(Struct, frozen=True):
    """A file of a version: its path with slashes, and whether its mode allows execution."""

    path: str
    executable: bool = False


class LaunchGuess(Struct, frozen=True):
    """A program that may start the game; ``match`` is from 0 to 1."""

    filename: str
    platform: Platform
    match: float


def shortlist(
    files: Iterable[ProgramFile], *, game: str, folders: Sequence[str] = (), limit: int = MAX_SHORTLIST
) -> list[str]:
    """Return the paths whose first `programs.HEAD_SIZE` bytes `guess` needs, the most likely programs first."""
    prominence = _Prominence.of(game, folders)
    unclear = (file.path for file in files if programs.needs_head(file.path, executable=file.executable))
    return nlargest(limit, unclear, key=prominence.rate)


def guess(
    files: Iterable[ProgramFile],
    *,
    heads: Mapping[str, bytes],
    game: str,
    folders: Sequence[str] = (),
    limit: int = MAX_GUESSES,
) -> list[LaunchGuess]:
    """Return at most ``limit`` programs by descending match, then by depth and name.

    ``heads`` are the first bytes of the files that were read, by path; ``folders`` are the names of the game's and the
    version's folder.
    """
    listing = list(files)
    by_path = {file.path: program for file in listing if (program := _identify(file, heads))}
    rate = _Prominence.of(game, folders).rate
    rated = nlargest(_MAX_RATED, by_path, key=rate) if len(by_path) > _MAX_RATED else list(by_path)
    rating = _Rating.of(game, folders, root=_common_root(listing))
    guesses = [LaunchGuess(path, by_path[path].platform, rating.match(path, by_path[path])) for path in rated]
    return sorted((_lifted(each, guesses, root=rating.root) for each in guesses), key=_order)[:limit]


def _identify(file: ProgramFile, heads: Mapping[str, bytes]) -> Program | None:
    return programs.identify(file.path, executable=file.executable, head=heads.get(file.path))


def _order(each: LaunchGuess) -> tuple[float, int, str]:
    return -each.match, each.filename.count("/"), each.filename


def _common_root(listing: Collection[ProgramFile]) -> str:
    """Return the common parent folder of all paths with a trailing slash, such as `usr/` for a Debian package."""
    paths = [file.path for file in listing]
    first_and_last = [path.rpartition("/")[0] for path in (min(paths, default=""), max(paths, default=""))]
    shared = commonpath(first_and_last)
    return f"{shared}/" if shared else ""


def _names(game: str, folders: Iterable[str]) -> list[Name]:
    return [Name.of(naming.words(text)) for text in (game, *map(naming.title, folders))]


def _lifted(each: LaunchGuess, guesses: Iterable[LaunchGuess], *, root: str) -> LaunchGuess:
    """Return a guess; a script such as `start.sh` at the top gets the best match of the programs below, if higher."""
    name = each.filename.removeprefix(root)
    joined = "".join(naming.words(programs.stem_of(name)))
    if "/" in name or joined not in _STARTERS or programs.suffix_of(name) not in _SCRIPTS:
        return each
    below = (other.match for other in guesses if other.platform is each.platform and "/" in other.filename[len(root) :])
    return replace(each, match=max(each.match, *below, 0.0))


class _Prominence(Struct, frozen=True):
    """A rough and fast rating, which selects the paths for a precise rating among tens of thousands."""

    names: tuple[str, ...]
    hints: frozenset[str]

    @classmethod
    def of(cls, game: str, folders: Sequence[str]) -> Self:
        names = _names(game, folders)
        hints = _TYPICAL.union(*(name.abbreviations for name in names))
        return cls(tuple({name.joined for name in names if name.joined}), hints)

    def rate(self, path: str) -> float:
        folder, _, filename = path.rpartition("/")
        stem = filename.partition(".")[0].lower()
        percent = 100.0 if stem in self.hints else max((fuzz.ratio(stem, name) for name in self.names), default=0.0)
        is_usual = folder.rpartition("/")[2].lower() in _USUAL_FOLDERS
        return percent - (0 if is_usual else _DEPTH_PENALTY * path.count("/"))


class _Rating(Struct, frozen=True):
    """The precise rating of programs by the names of the game."""

    game: Name
    names: tuple[Name, ...]
    root: str

    @classmethod
    def of(cls, game: str, folders: Sequence[str], *, root: str) -> Self:
        names = _names(game, folders)
        return cls(names[0], tuple(name for name in names if name.joined), root)

    def match(self, path: str, program: Program) -> float:
        if programs.is_not_game(path, title=self.game.joined):
            return 0.0
        parts = naming.words(programs.stem_of(path))
        role = programs.role_weight(parts, path, title=self.game.words)
        age = _LEGACY_WEIGHT if program.legacy else 1
        return round(max(_MIN_MATCH, self._similarity(parts, path) * self._folder_weight(path) * role * age), 4)

    def _similarity(self, parts: Sequence[str], path: str) -> float:
        own = self._name_similarity(Name.of(part for part in parts if part not in programs.SETUP_WORDS))
        bundle = programs.bundle_of(path)
        return (
            own if bundle is None else max(own, _BUNDLE_WEIGHT * self._name_similarity(Name.of(naming.words(bundle))))
        )

    def _name_similarity(self, stem: Name) -> float:
        typical = _TYPICAL_SIMILARITY if not stem.joined or stem.joined in _TYPICAL else 0.0
        return max(typical, *(naming.similarity(stem, name) for name in self.names), 0.0)

    def _folder_weight(self, path: str) -> float:
        weight = 1.0
        for folder in path.removeprefix(self.root).split("/")[:-1]:
            weight *= _USUAL_FOLDER_WEIGHT if self._is_usual(folder) else _OTHER_FOLDER_WEIGHT
        return weight

    def _is_usual(self, folder: str) -> bool:
        if folder.lower() in _USUAL_FOLDERS or folder.endswith(".app"):
            return True
        joined = "".join(naming.words(folder))
        return any(joined == name.joined for name in self.names)
