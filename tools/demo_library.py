"""A library of real games to try Playdock with: free games from Debian's packages.

`demo_library.py FOLDER [--only NAME …]` creates a `Filesystem` library, `FOLDER/<game>/<version>`. apt-get downloads
the packages into a folder next to FOLDER, where they are kept for later runs. A version is complete or does not exist,
because it is renamed at the end. Existing versions are not changed.
"""

import argparse
import fcntl
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePath

from demo_version import BuildError, Dropped, build_version, run, weigh

# --- The games ---


@dataclass(frozen=True, slots=True)
class Game:
    """The packages of the game, one set per line of releases. The first package of a set has its version."""

    name: str
    sets: tuple[tuple[str, ...], ...]
    zipped: bool = False


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Release:
    version: str
    packages: tuple[Package, ...]


GAMES = (
    Game("SuperTuxKart", sets=(("supertuxkart", "supertuxkart-data"),)),
    Game("OpenTTD", sets=(("openttd", "openttd-data", "openttd-opengfx"),), zipped=True),
    Game(
        "The Battle for Wesnoth",
        sets=tuple((f"wesnoth-{line}-core", f"wesnoth-{line}-data") for line in ("1.18", "1.16")),
    ),
    Game("Hedgewars", sets=(("hedgewars", "hedgewars-data"),)),
    Game("Freedoom", sets=(("freedoom",),)),
    Game("Teeworlds", sets=(("teeworlds", "teeworlds-data"),)),
    Game("Frozen Bubble", sets=(("frozen-bubble", "frozen-bubble-data"),)),
    Game("Neverball", sets=(("neverball", "neverball-data", "neverball-common"),)),
)


# --- Versions: what apt offers, and what a player calls it ---

Offers = Mapping[str, Sequence[str]]

REPACKAGED = re.compile(r"[+~.](?:dfsg|repack|ds|nmu|deb\d+u)(?![a-z])[.\d]*")


def without_epoch(debian_version: str) -> str:
    return debian_version.partition(":")[2] or debian_version


def upstream_version(debian_version: str) -> str:
    """Return the upstream version, without Debian's epoch, revision and repackaging suffixes.

    The parts of a version: Debian Policy, section 5.6.12. The suffix of a snapshot (+git…) is kept.
    """
    unrevised, dash, unsplit = without_epoch(debian_version).rpartition("-")
    return REPACKAGED.sub("", unrevised if dash else unsplit)


def read_offers(madison: str) -> Offers:
    """Return the versions of each package, newest first, from the output of `apt-cache madison`."""
    offers: dict[str, list[str]] = {}
    for line in madison.splitlines():
        name, version = (column.strip() for column in line.split("|")[:2])
        versions = offers.setdefault(name, [])
        if version not in versions:
            versions.append(version)
    return offers


def companion(versions: Sequence[str], *, leader: str) -> str:
    """Return the version for the first package's: the same, else the same upstream version, else the newest."""
    upstream = upstream_version(leader)
    return min(versions, key=lambda version: (version != leader, upstream_version(version) != upstream))


def plan_releases(game: Game, *, offers: Offers) -> list[Release]:
    """Return the complete releases that apt offers. Older revisions of an upstream version include their revision."""
    releases: dict[str, Release] = {}
    for names in game.sets:
        if not all(name in offers for name in names):
            continue
        for leader in offers[names[0]]:
            packages = tuple(Package(name, companion(offers[name], leader=leader)) for name in names)
            upstream = upstream_version(leader)
            version = without_epoch(leader) if upstream in releases else upstream
            releases[version] = Release(version, packages)
    return list(releases.values())


# --- Packages ---


def ask_offers(games: Iterable[Game]) -> Offers:
    names = sorted({name for game in games for names in game.sets for name in names})
    return read_offers(run("apt-cache", "madison", *names))


def kept_package(package: Package, *, folder: Path) -> Path | None:
    # apt writes the colon of an epoch as %3a in file names.
    return next(folder.glob(f"{package.name}_{package.version.replace(':', '%3a')}_*.deb"), None)


def fetch(package: Package, *, cache: Path) -> Path:
    """Return the package's file in the cache, which is complete or does not exist. Raises BuildError if apt fails."""
    if kept := kept_package(package, folder=cache):
        return kept
    arrivals = cache / "arriving"
    arrivals.mkdir(exist_ok=True)
    if os.geteuid() == 0:
        with suppress(LookupError):
            shutil.chown(arrivals, "_apt")  # as root, apt-get fetches as this user, and warns where it may not write
    run("apt-get", "download", f"{package.name}={package.version}", folder=arrivals)
    arrived = kept_package(package, folder=arrivals)
    if arrived is None:
        raise BuildError(f"apt-get download left no file of {package.name} {package.version} in {arrivals}.")
    return arrived.rename(cache / arrived.name)


# --- The library ---


@dataclass(frozen=True, slots=True)
class Library:
    folder: Path
    cache: Path
    workshop: Path

    def place(self, game: Game, *, version: str) -> Path:
        return self.folder / game.name / (f"{version}.zip" if game.zipped else version)

    def places(self, game: Game) -> set[Path]:
        return set((self.folder / game.name).glob("[!.]*"))

    def add(self, release: Release, *, place: Path) -> list[Dropped]:
        debs = [fetch(package, cache=self.cache) for package in release.packages]
        with fresh_folder(self.workshop):
            return build_version(debs, place=place, workshop=self.workshop)


@contextmanager
def fresh_folder(folder: Path) -> Iterator[None]:
    """Create an empty folder, replacing one of an interrupted run, and remove it at the end."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir()
    try:
        yield
    finally:
        shutil.rmtree(folder)


@contextmanager
def open_library(folder: Path) -> Iterator[Library]:
    """Lock the library in `folder`. Raises BuildError if another run is using it."""
    cache = folder.with_name(f"{folder.name}-packages")
    for needed in (folder, cache):
        needed.mkdir(parents=True, exist_ok=True)
    lock = os.open(cache, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield Library(folder, cache=cache, workshop=folder / ".building")
    except BlockingIOError:
        raise BuildError(f"Another run is building {folder}. Wait until it is done.") from None
    finally:
        os.close(lock)


def find_offers(games: Sequence[Game], *, library: Library) -> Offers:
    """Return the versions that apt offers of the games' packages. Missing package lists are downloaded if permitted."""
    offers = ask_offers(games)
    if offers or os.geteuid() != 0 or all(library.places(game) for game in games):
        return offers
    print("apt has no package lists: running apt-get update …", flush=True)
    run("apt-get", "update")
    return ask_offers(games)


def add_game(game: Game, *, library: Library, offers: Offers) -> None:
    """Build the missing versions of one game. Raises BuildError if none is available or a step fails."""
    releases = {library.place(game, version=plan.version): plan for plan in plan_releases(game, offers=offers)}
    present = library.places(game)
    for place in sorted(present | releases.keys()):
        print(f"{game.name} {place.name.removesuffix('.zip')}: ", end="", flush=True)
        if place in present:
            print(f"present, {weigh(place)}")
            continue
        print("fetching and building … ", end="", flush=True)
        dropped = library.add(releases[place], place=place)
        print(weigh(place))
        tell_dropped(dropped)
    if not releases and not present:
        print(f"{game.name}: ", end="")
        sets = " or ".join(" + ".join(names) for names in game.sets)
        raise BuildError(f"apt offers no {sets}. Run `apt-get update` as root, on Debian, and try again.")


def tell_dropped(dropped: Iterable[Dropped]) -> None:
    """Return one line for the paths of a folder that were dropped for the same reason."""
    told = sorted((str(PurePath(one.path).parent), one.reason, PurePath(one.path).name) for one in dropped)
    for (folder, reason), group in groupby(told, key=lambda one: one[:2]):
        print(f"  dropped from {folder!r} ({reason}): {', '.join(repr(name) for _, _, name in group)}")


def build_library(folder: Path, *, games: Sequence[Game]) -> list[str]:
    """Build all missing games, and return a message for each that failed. Raises BuildError if all fail."""
    for program in ("apt-get", "apt-cache", "dpkg-deb"):
        if shutil.which(program) is None:
            raise BuildError(f"There is no {program} here. The games come from Debian's packages: run this on Debian.")
    failures: list[str] = []
    with open_library(folder) as library:
        offers = find_offers(games, library=library)
        for game in games:
            try:
                add_game(game, library=library, offers=offers)
            except (BuildError, OSError) as error:
                print("failed")
                failures.append(f"{game.name} is not built: {error}")
    return failures


def game_named(name: str) -> Game:
    for game in GAMES:
        if game.name.casefold() == name.casefold():
            return game
    raise argparse.ArgumentTypeError(f"no game is called {name}. Choose from {', '.join(game.name for game in GAMES)}.")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where the library is built")
    parser.add_argument("--only", metavar="NAME", nargs="+", type=game_named, default=GAMES, help="only these games")
    chosen = parser.parse_args(arguments)
    try:
        failures = build_library(chosen.folder.absolute(), games=chosen.only)
    except BuildError as error:
        failures = [str(error)]
    except OSError as error:
        failures = [f"The library cannot be built in {chosen.folder}: {error.strerror} ({error.filename})."]
    except KeyboardInterrupt:
        failures = ["\nInterrupted. Run it again to go on from here."]
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
