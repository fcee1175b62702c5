"""Adds installed games to Steam, for every account on this machine, and removes them without a trace."""

import shlex
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from playdock_client.artwork import Artwork, ArtworkRole
from playdock_client.atomic_files import write_atomically
from playdock_client.client_folders import ClientFolders, home_of
from playdock_client.errors import ClientError
from playdock_client.machine import LINUX, WINDOWS, Machine
from playdock_client.shortcuts.client_program import client_program
from playdock_client.shortcuts.desktop_entry import DesktopEntry
from playdock_client.shortcuts.game_shortcuts import ShortcutTarget
from playdock_client.steam.accounts import SteamAccount, is_steam_running, steam_accounts
from playdock_client.steam.shortcut_list import (
    SteamShortcut,
    app_id_of,
    empty_list,
    is_empty,
    with_shortcut,
    without_shortcut,
)
from playdock_client.steam.vdf import Map, UnknownFormat, read_vdf, write_vdf

# What Steam shows where: below the name of a file is its use, and the picture of the game that serves for it.
_PICTURES = (
    ("", ArtworkRole.BANNER),
    ("p", ArtworkRole.COVER),
    ("_hero", ArtworkRole.BANNER),
    ("_logo", ArtworkRole.LOGO),
    ("_icon", ArtworkRole.ICON),
)
_SUFFIXES = (".png", ".jpg")
# Steam adds a game only while this file exists, so that no page can do so.
_PERMISSION_FILE = Path("/tmp/addnonsteamgamefile")  # noqa: S108 - the name is given by Steam
_ADDING_SECONDS, _POLL_SECONDS = 20.0, 0.2


class SteamNotFound(ClientError):
    """Steam is not installed, or nobody has signed in to it."""


class SteamRunning(ClientError):
    """Steam runs, so that its files cannot be changed."""


@dataclass(frozen=True, slots=True)
class SteamLibrary:
    """Steam's lists of games on this machine."""

    machine: Machine
    folders: ClientFolders
    environment: Mapping[str, str]

    def add(self, target: ShortcutTarget, artwork: Artwork) -> Sequence[SteamAccount]:
        """Add a game with its pictures, or renew it, and return the accounts that have it now.

        If Steam runs on Linux, it is asked to add the game, which only the account that is signed in gets.

        Raises SteamNotFound, SteamRunning, UnknownFormat, OSError.
        """
        accounts, shortcut = self._accounts(), self._shortcut(target, artwork)
        if self._is_running():
            return self._add_to_running(accounts, shortcut, artwork)
        # All lists are understood before the first one is written.
        contents = [(account, with_shortcut(_read(account), shortcut)) for account in accounts]
        for account, updated in contents:
            self._write(account, updated)
            _add_pictures(account, app_id_of(updated, shortcut), artwork)
        return accounts

    def remove(self, target: ShortcutTarget) -> Sequence[SteamAccount]:
        """Remove a game and its pictures, and return the accounts that had it.

        Raises SteamNotFound, SteamRunning, UnknownFormat, OSError.
        """
        shortcut = self._shortcut(target, {})
        contents = [(account, _read(account)) for account in self._accounts()]
        having = [(account, content) for account, content in contents if app_id_of(content, shortcut) is not None]
        if having and self._is_running():
            raise SteamRunning("Close Steam to remove the game from it, then try again.")
        for account, content in having:
            _remove_pictures(account, app_id_of(content, shortcut))
            self._write(account, without_shortcut(content, shortcut))
        return [account for account, _ in having]

    def has(self, target: ShortcutTarget) -> bool:
        """Return whether any account has the game."""
        shortcut = self._shortcut(target, {})
        with suppress(ClientError, OSError):
            return any(app_id_of(_read(each), shortcut) is not None for each in self._accounts())
        return False

    def _accounts(self) -> Sequence[SteamAccount]:
        accounts = steam_accounts(self.machine.platform, home_of(self.environment))
        if not accounts:
            raise SteamNotFound("Steam was not found on this machine. Install it, sign in to it, then try again.")
        return accounts

    def _is_running(self) -> bool:
        return is_steam_running(self.machine.platform, home_of(self.environment))

    def _shortcut(self, target: ShortcutTarget, artwork: Artwork) -> SteamShortcut:
        program, *arguments = [*client_program(self.environment), "launch", str(target.folder)]
        icon = artwork.get(ArtworkRole.ICON)
        options = _options(arguments, platform=self.machine.platform)
        return SteamShortcut(
            key=target.key,
            name=target.name,
            program=str(program),
            options=options,
            folder=str(target.folder),
            icon=str(icon or ""),
        )

    def _add_to_running(
        self, accounts: Sequence[SteamAccount], shortcut: SteamShortcut, artwork: Artwork
    ) -> Sequence[SteamAccount]:
        steam = shutil.which("steam", path=self.environment.get("PATH"))
        if self.machine.platform != LINUX or steam is None:
            raise SteamRunning("Close Steam to add the game to it, then try again.")
        if not (having := _having(accounts, shortcut)):
            self._ask_steam(steam, shortcut)
            having = _wait_for(accounts, shortcut)
        for account, app_id in having:
            _add_pictures(account, app_id, artwork)
        return [account for account, _ in having]

    def _ask_steam(self, steam: str, shortcut: SteamShortcut) -> None:
        folder = self.folders.data / "steam"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{shortcut.key}.desktop"
        command = [*client_program(self.environment), "launch", shortcut.folder]
        entry = DesktopEntry(shortcut.name, f"Play {shortcut.name}", command, icon=shortcut.icon)
        write_atomically(file, entry.text().encode())
        file.chmod(0o755)
        _PERMISSION_FILE.touch()
        address = f"steam://addnonsteamgame/{quote(str(file), safe='')}"
        subprocess.run([steam, address], env=self.environment, capture_output=True, check=False)  # noqa: S603

    def _write(self, account: SteamAccount, content: Map) -> None:
        """Write the list of an account, after a copy of it. A list that the client made is removed when it is empty."""
        file, own = account.shortcuts, self.folders.data / "steam"
        made = own / f"{account.folder.name}-made"
        own.mkdir(parents=True, exist_ok=True)
        mode = 0o644
        if file.exists():
            mode = file.stat().st_mode & 0o777
            write_atomically(own / f"{account.folder.name}-shortcuts.vdf", file.read_bytes())
        else:
            made.touch()
        if is_empty(content) and made.exists():
            file.unlink(missing_ok=True)
            made.unlink()
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, write_vdf(content))
        file.chmod(mode)


def _read(account: SteamAccount) -> Map:
    """Return the list of an account. Raises UnknownFormat unless it would be written unchanged."""
    try:
        data = account.shortcuts.read_bytes()
    except FileNotFoundError:
        return empty_list()
    content = read_vdf(data) if data else empty_list()
    if data and write_vdf(content) != data:
        raise UnknownFormat(f"Steam's list {account.shortcuts} is not understood, so it was not changed.")
    return content


def _having(accounts: Sequence[SteamAccount], shortcut: SteamShortcut) -> Sequence[tuple[SteamAccount, int]]:
    """Return the accounts that have a game, with its id."""
    found = ((account, app_id_of(_read(account), shortcut)) for account in accounts)
    return [(account, app_id) for account, app_id in found if app_id is not None]


def _wait_for(accounts: Sequence[SteamAccount], shortcut: SteamShortcut) -> Sequence[tuple[SteamAccount, int]]:
    """Return the accounts that have a game as soon as Steam has added it. Raises SteamRunning if it does not."""
    deadline = time.monotonic() + _ADDING_SECONDS
    while time.monotonic() < deadline:
        # Steam may be writing the file.
        with suppress(UnknownFormat):
            if having := _having(accounts, shortcut):
                return having
        time.sleep(_POLL_SECONDS)
    raise SteamRunning("Steam did not add the game. Close Steam, then try again.")


def _add_pictures(account: SteamAccount, app_id: int | None, artwork: Artwork) -> None:
    _remove_pictures(account, app_id)
    for use, role in _PICTURES:
        if role in artwork:
            account.pictures.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(artwork[role], account.pictures / f"{app_id}{use}{artwork[role].suffix}")


def _remove_pictures(account: SteamAccount, app_id: int | None) -> None:
    for use, _ in _PICTURES:
        for suffix in _SUFFIXES:
            (account.pictures / f"{app_id}{use}{suffix}").unlink(missing_ok=True)
    with suppress(OSError):
        account.pictures.rmdir()


def _options(arguments: Sequence[str], *, platform: str) -> str:
    """Return arguments as one text, which Steam splits like the system does."""
    return subprocess.list2cmdline(arguments) if platform == WINDOWS else shlex.join(arguments)
