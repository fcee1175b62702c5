"""Guessing what starts a game: which files of a version are programs, and which of them is likeliest meant.

The caller lists the files, reads the first bytes of those on the *shortlist* and gets *guesses*, the likeliest first.
A match is 1 for a program called like the game in a natural place, little for one called otherwise, and 0 only for
programs whose names tell that they are not the game.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from posixpath import commonpath
from typing import Self

from rapidfuzz import fuzz

from playdock.content import naming, programs
from playdock.content.naming import Name
from playdock.content.programs import Platform, Program

SHORTLISTED = 256
LISTED = 200
_RATED = 1000

_FAINTEST = 0.02
_TYPICAL_LIKENESS = 0.5
_BUNDLE_WEIGHT = 0.9
_DATED_WEIGHT = 0.5
_NATURAL_STEP = 0.97
_OTHER_STEP = 0.88

_STARTERS = frozenset(
    ("game", "start", "run", "launch", "launcher", "play", "startgame", "rungame", "launchgame", "startprotectedgame")
)
_TYPICAL = _STARTERS | {"main", "nw", "dosbox", "scummvm"}
_SCRIPTS = frozenset(("sh", "bat", "cmd", "command", ""))
_UNIX_PLACES = frozenset(
    ("usr", "local", "opt", "games", "bin", "bin32", "bin64", "linux", "linux32", "linux64", "x86_64")
)
_OTHER_PLACES = frozenset(("windows", "win32", "win64", "x86", "x64", "mac", "macos", "osx", "contents", "binaries"))
_ENGINE_PLACES = frozenset(
    ("windowsnoeditor", "linuxnoeditor", "macnoeditor", "system", "game", "app", "release", "retail")
)
_NATURAL_PLACES = _UNIX_PLACES | _OTHER_PLACES | _ENGINE_PLACES


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file of a version: its path with slashes and whether its mode lets somebody execute it."""

    path: str
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Guess:
    """A program that may start the game (interface, 2.7); `match` from 0 to 1."""

    filename: str
    platform: Platform
    match: float


def shortlist(
    files: Iterable[Candidate], *, game: str, folders: Sequence[str] = (), limit: int = SHORTLISTED
) -> list[str]:
    """The paths whose first `programs.HEAD_SIZE` bytes are worth reading for `guess`, the likeliest first."""
    prominence = _Prominence.of(game, folders)
    unsure = (file.path for file in files if programs.says_too_little(file.path, executable=file.executable))
    return nlargest(limit, unsure, key=prominence.rate)


def guess(
    files: Iterable[Candidate],
    *,
    heads: Mapping[str, bytes],
    game: str,
    folders: Sequence[str] = (),
    limit: int = LISTED,
) -> list[Guess]:
    """The programs among the files by match downwards, then depth, then name; at most `limit`.

    `heads`: first bytes by path, for those that were read. `folders`: names of the game's and the version's folder.
    """
    listing = list(files)
    found = {file.path: program for file in listing if (program := _identify(file, heads))}
    likeliest = nlargest(_RATED, found, key=_Prominence.of(game, folders).rate) if len(found) > _RATED else list(found)
    rating = _Rating.of(game, folders, root=_common_root(listing))
    guesses = [Guess(path, found[path].platform, rating.match(path, found[path])) for path in likeliest]
    return sorted((_lifted(each, guesses, root=rating.root) for each in guesses), key=_order)[:limit]


def _identify(file: Candidate, heads: Mapping[str, bytes]) -> Program | None:
    return programs.identify(file.path, executable=file.executable, head=heads.get(file.path))


def _order(each: Guess) -> tuple[float, int, str]:
    return -each.match, each.filename.count("/"), each.filename


def _common_root(listing: Collection[Candidate]) -> str:
    """The folders that all paths share, with a slash at the end: `usr/` for a Debian package."""
    paths = [file.path for file in listing]
    first_and_last = [path.rpartition("/")[0] for path in (min(paths, default=""), max(paths, default=""))]
    shared = commonpath(first_and_last)
    return f"{shared}/" if shared else ""


def _names(game: str, folders: Iterable[str]) -> list[Name]:
    return [Name.of(naming.words(text)) for text in (game, *map(naming.title, folders))]


def _lifted(each: Guess, guesses: Iterable[Guess], *, root: str) -> Guess:
    """A `start.sh` at the top starts what lies below, so it is worth as much as the best of that."""
    name = each.filename.removeprefix(root)
    joined = "".join(naming.words(programs.stem_of(name)))
    if "/" in name or joined not in _STARTERS or programs.suffix_of(name) not in _SCRIPTS:
        return each
    below = (other.match for other in guesses if other.platform is each.platform and "/" in other.filename[len(root) :])
    return replace(each, match=max(each.match, *below, 0.0))


@dataclass(frozen=True, slots=True)
class _Prominence:
    """A rough and quick rating of tens of thousands of paths, to choose those that are worth a closer look."""

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
        alike = 100.0 if stem in self.hints else max((fuzz.ratio(stem, name) for name in self.names), default=0.0)
        return alike - (0 if folder.rpartition("/")[2].lower() in _NATURAL_PLACES else 12 * path.count("/"))


@dataclass(frozen=True, slots=True)
class _Rating:
    """What the game is called, and how well a program fits that."""

    game: Name
    names: tuple[Name, ...]
    root: str

    @classmethod
    def of(cls, game: str, folders: Sequence[str], *, root: str) -> Self:
        names = _names(game, folders)
        return cls(names[0], tuple(name for name in names if name.joined), root)

    def match(self, path: str, program: Program) -> float:
        if programs.never_the_game(path, title=self.game.joined):
            return 0.0
        parts = naming.words(programs.stem_of(path))
        role = programs.role_weight(parts, path, title=self.game.words)
        age = _DATED_WEIGHT if program.dated else 1
        return round(max(_FAINTEST, self._likeness(parts, path) * self._place(path) * role * age), 4)

    def _likeness(self, parts: Sequence[str], path: str) -> float:
        own = self._alike(Name.of(part for part in parts if part not in programs.SETUP_WORDS))
        bundle = programs.bundle_of(path)
        return own if bundle is None else max(own, _BUNDLE_WEIGHT * self._alike(Name.of(naming.words(bundle))))

    def _alike(self, stem: Name) -> float:
        typical = _TYPICAL_LIKENESS if not stem.joined or stem.joined in _TYPICAL else 0.0
        return max(typical, *(naming.likeness(stem, name) for name in self.names), 0.0)

    def _place(self, path: str) -> float:
        weight = 1.0
        for folder in path.removeprefix(self.root).split("/")[:-1]:
            weight *= _NATURAL_STEP if self._natural(folder) else _OTHER_STEP
        return weight

    def _natural(self, folder: str) -> bool:
        if folder.lower() in _NATURAL_PLACES or folder.endswith(".app"):
            return True
        joined = "".join(naming.words(folder))
        return any(joined == name.joined for name in self.names)
