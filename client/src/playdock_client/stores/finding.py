"""Finds what stores have installed on this machine, by the files in which they record it."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from playdock_client.client_folders import home_of
from playdock_client.machine import LINUX, MACOS
from playdock_client.steam.accounts import steam_folders
from playdock_client.stores import epic_files, gog_files, steam_files
from playdock_client.stores.found_game import FoundGame, Store

if sys.platform == "win32":
    import winreg

_MAX_RECORD_BYTES = 16 * 1024 * 1024
_GOG_KEY = r"SOFTWARE\WOW6432Node\GOG.com\Games"
# Where installers of GOG for Linux and Minigalaxy, Galaxy, and older installers for Windows put games.
_GOG_FOLDERS = ("GOG Games",)
_WINDOWS_GOG_FOLDERS = (r"GOG Galaxy\Games", "GOG Games")
_LINUX_CONFIG = (".config", ".var/app/com.heroicgameslauncher.hgl/config")
_MAC_CONFIG = "Library/Application Support"


class StoreFinder(msgspec.Struct, frozen=True):
    """Finds the games that stores have installed for this user."""

    platform: str
    environment: Mapping[str, str]

    def find(self, store: Store) -> Sequence[FoundGame]:
        """Return the games of a store whose folders exist, by name. Of two records of a folder, the first counts."""
        sources = {Store.STEAM: self._steam, Store.GOG: self._gog, Store.EPIC: self._epic}
        found: dict[Path, FoundGame] = {}
        for game in sources[store]():
            with suppress(OSError, ValueError):
                folder = game.folder.resolve()
                if folder.is_dir() and self._may_be_game(folder):
                    found.setdefault(folder, msgspec.structs.replace(game, folder=folder))
        return sorted(found.values(), key=lambda game: (game.name.casefold(), game.id))

    def identify(self, folder: Path) -> FoundGame:
        """Return the game in a folder, with its id if a record of a store, there or beside it, says which it is."""
        with suppress(OSError, ValueError):
            folder = folder.resolve()
        recorded = (game for game in self._records_of(folder) if game.folder == folder)
        return next(recorded, FoundGame(folder.name, folder))

    def _records_of(self, folder: Path) -> Iterator[FoundGame]:
        yield from _gog_in(folder)
        if folder.parent.name.lower() == "common":
            yield from _steam_in(folder.parent.parent.parent)
        yield from self._epic()

    def _may_be_game(self, folder: Path) -> bool:
        """Return whether a folder is not one that contains the user's other files too."""
        home = home_of(self.environment).resolve()
        return folder != home and folder not in home.parents

    def _steam(self) -> Iterator[FoundGame]:
        libraries: dict[Path, None] = {}
        for root in steam_folders(self.platform, home_of(self.environment)):
            libraries[root] = None
            for name in ("steamapps/libraryfolders.vdf", "config/libraryfolders.vdf"):
                for folder in steam_files.steam_libraries(_text(root / name)):
                    libraries[Path(folder)] = None
        for library in libraries:
            yield from _steam_in(library)

    def _gog(self) -> Iterator[FoundGame]:
        heroic: dict[Path, FoundGame] = {}
        for config in self._configs():
            heroic |= gog_files.heroic_games(_bytes(config / "heroic" / "gog_store" / "installed.json"))
        for folder in (*self._gog_folders(), *heroic):
            yield from _gog_in(folder)
        # Last, since they do not have the names of games.
        yield from heroic.values()

    def _gog_folders(self) -> Iterator[Path]:
        parents = [home_of(self.environment) / name for name in _GOG_FOLDERS]
        for variable in ("PROGRAMFILES(X86)", "PROGRAMFILES", "SYSTEMDRIVE"):
            if base := self.environment.get(variable):
                parents += [Path(base + os.sep) / name for name in _WINDOWS_GOG_FOLDERS]
        for parent in parents:
            yield from _entries(parent)
        yield from _registered_gog_folders()

    def _epic(self) -> Iterator[FoundGame]:
        for folder in self._epic_manifests():
            for file in _entries(folder):
                if file.suffix.lower() == ".item" and (game := epic_files.launcher_game(_bytes(file))):
                    yield game
        for config in self._configs():
            for name in ("legendary", "heroic/legendaryConfig/legendary"):
                yield from epic_files.legendary_games(_bytes(config / name / "installed.json"))

    def _epic_manifests(self) -> Iterator[Path]:
        if self.platform == MACOS:
            yield home_of(self.environment) / _MAC_CONFIG / "Epic/EpicGamesLauncher/Data/Manifests"
        elif base := self.environment.get("PROGRAMDATA"):
            yield Path(base) / "Epic" / "EpicGamesLauncher" / "Data" / "Manifests"

    def _configs(self) -> Iterator[Path]:
        """Yield the folders in which Heroic and legendary keep their settings."""
        home = home_of(self.environment)
        if self.platform == LINUX:
            if base := self.environment.get("XDG_CONFIG_HOME"):
                yield Path(base)
            yield from (home / name for name in _LINUX_CONFIG)
            return
        if self.platform == MACOS:
            yield home / _MAC_CONFIG
        elif base := self.environment.get("APPDATA"):
            yield Path(base)
        yield home / ".config"


def _steam_in(library: Path) -> Iterator[FoundGame]:
    for file in _entries(library / "steamapps"):
        if file.name.startswith("appmanifest_") and file.suffix == ".acf":
            game = steam_files.steam_game(_text(file), library)
            if game:
                yield game


def _gog_in(folder: Path) -> Iterator[FoundGame]:
    for file in _entries(folder):
        if file.name.lower().startswith("goggame-") and file.suffix.lower() == ".info":
            game = gog_files.windows_game(_bytes(file), folder)
        elif file.name == "gameinfo":
            game = gog_files.linux_game(_text(file), folder)
        else:
            continue
        if game:
            yield game


def _registered_gog_folders() -> Sequence[Path]:
    """Return the folders that GOG's installers and Galaxy have recorded in the registry of Windows."""
    found: list[Path] = []
    if sys.platform == "win32":
        with suppress(OSError), winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _GOG_KEY) as games:
            for index in range(winreg.QueryInfoKey(games)[0]):
                with suppress(OSError), winreg.OpenKey(games, winreg.EnumKey(games, index)) as game:
                    found.append(Path(str(winreg.QueryValueEx(game, "path")[0])))
    return found


def _entries(folder: Path) -> Sequence[Path]:
    """Return the entries of a folder by name, none if it cannot be read."""
    try:
        return sorted(folder.iterdir())
    except (OSError, ValueError):
        return ()


def _bytes(file: Path) -> bytes:
    """Return the content of a file, nothing if it cannot be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(_MAX_RECORD_BYTES)
    except (OSError, ValueError):
        return b""


def _text(file: Path) -> str:
    return _bytes(file).decode("utf-8-sig", "replace")
