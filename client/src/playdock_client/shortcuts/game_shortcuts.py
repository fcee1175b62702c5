"""A game in the menu and on the desktop: ``.desktop`` files on Linux, ``.lnk`` on Windows, ``.app`` on macOS.

The file names contain a key made from the installation's folder, so that they are found again for removal.
"""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from playdock_client.atomic_files import write_atomically
from playdock_client.client_folders import HOME_VARIABLE, ClientFolders, folder_name, home_of
from playdock_client.errors import ClientError
from playdock_client.machine import MACOS, WINDOWS, Machine
from playdock_client.shortcuts.client_program import client_program
from playdock_client.shortcuts.desktop_entry import DesktopEntry
from playdock_client.shortcuts.mac_bundle import write_shortcut

_DESKTOP_FOLDER = re.compile(r'^XDG_DESKTOP_DIR="(\$HOME)?([^"]*)"', re.MULTILINE)
# The values come from environment variables, so that nothing in a name is run by PowerShell.
_MAKE_LINK = (
    "$ErrorActionPreference='Stop';"
    "$s=(New-Object -ComObject WScript.Shell).CreateShortcut($env:PLAYDOCK_LINK);"
    "$s.TargetPath=$env:PLAYDOCK_TARGET;$s.Arguments=$env:PLAYDOCK_ARGUMENTS;"
    "$s.WorkingDirectory=$env:PLAYDOCK_FOLDER;$s.WindowStyle=7;"
    "if($env:PLAYDOCK_ICON){$s.IconLocation=$env:PLAYDOCK_ICON};$s.Save()"
)
_FIND_DESKTOP = "[Environment]::GetFolderPath('Desktop')"


class ShortcutPlace(StrEnum):
    """Where a shortcut is."""

    MENU = "menu"
    DESKTOP = "desktop"


class CannotMakeShortcut(ClientError):
    """The shortcut could not be made; the message says why."""


@dataclass(frozen=True, slots=True)
class ShortcutTarget:
    """The game of a shortcut: its name, its installation's folder, and the file of its icon, if any."""

    name: str
    folder: Path
    icon: Path | None = None

    @property
    def key(self) -> str:
        return hashlib.sha256(str(self.folder).encode(errors="surrogateescape")).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class GameShortcuts:
    """Makes, finds and removes shortcuts of one player."""

    machine: Machine
    folders: ClientFolders
    environment: Mapping[str, str]

    def add(self, target: ShortcutTarget, place: ShortcutPlace) -> Path:
        """Make a shortcut, or replace it, and return its file. Raises CannotMakeShortcut."""
        file = self._file(target, place)
        if not str(target.folder).isprintable():
            raise CannotMakeShortcut("The name of the game's folder contains control characters. Move the game.")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            if self.machine.platform == WINDOWS:
                self._make_link(target, file)
            elif self.machine.platform == MACOS:
                command = [*home_prefix(self.environment), *self._command(target)]
                write_shortcut(file, target.name, f"playdock.game.{target.key}", command)
            else:
                write_atomically(file, self._entry(target).text().encode())
                # Desktops start only entries that are executable.
                file.chmod(0o755 if place is ShortcutPlace.DESKTOP else 0o644)
        except OSError as error:
            raise CannotMakeShortcut(f"The shortcut could not be made: {file}: {error.strerror or error}.") from error
        return file

    def places(self, target: ShortcutTarget) -> Sequence[ShortcutPlace]:
        """Return where the game has shortcuts."""
        return [place for place in ShortcutPlace if self._file(target, place).exists()]

    def remove(self, target: ShortcutTarget) -> Sequence[Path]:
        """Remove all shortcuts of a game, and return their files."""
        files = [self._file(target, place) for place in self.places(target)]
        for file in files:
            # A bundle of macOS is a folder.
            if file.is_dir() and not file.is_symlink():
                shutil.rmtree(file)
            else:
                file.unlink(missing_ok=True)
        return files

    def _file(self, target: ShortcutTarget, place: ShortcutPlace) -> Path:
        if self.machine.platform == WINDOWS:
            name = f"{folder_name(target.name)} ({target.key[:4]}).lnk"
            menu = Path(self.environment.get("APPDATA", "")) / "Microsoft/Windows/Start Menu/Programs/Playdock"
            return (menu if place is ShortcutPlace.MENU else _windows_desktop()) / name
        if self.machine.platform == MACOS:
            home = home_of(self.environment)
            folder = home / "Applications/Playdock" if place is ShortcutPlace.MENU else home / "Desktop"
            return folder / f"{folder_name(target.name)} ({target.key[:4]}).app"
        folder = applications(self.environment) if place is ShortcutPlace.MENU else linux_desktop(self.environment)
        return folder / f"playdock-{target.key}.desktop"

    def _entry(self, target: ShortcutTarget) -> DesktopEntry:
        return DesktopEntry(
            target.name,
            f"Play {target.name}",
            [*home_prefix(self.environment), *self._command(target)],
            icon=str(target.icon) if target.icon else "applications-games",
        )

    def _command(self, target: ShortcutTarget) -> Sequence[str]:
        return [*client_program(self.environment), "launch", str(target.folder)]

    def _make_link(self, target: ShortcutTarget, file: Path) -> None:
        program, *arguments = self._command(target)
        values = {
            "PLAYDOCK_LINK": str(file),
            "PLAYDOCK_TARGET": program,
            "PLAYDOCK_ARGUMENTS": subprocess.list2cmdline(arguments),
            "PLAYDOCK_FOLDER": str(target.folder),
            "PLAYDOCK_ICON": str(target.icon or ""),
        }
        _powershell(_MAKE_LINK, {**self.environment, **values})


def home_prefix(environment: Mapping[str, str]) -> Sequence[str]:
    """Return the beginning of a command that passes on the client's folder, if the player has set one."""
    home = environment.get(HOME_VARIABLE)
    return ["/usr/bin/env", f"{HOME_VARIABLE}={home}"] if home else []


def applications(environment: Mapping[str, str]) -> Path:
    """Return the folder of the player's own menu entries (XDG Base Directory Specification)."""
    data = environment.get("XDG_DATA_HOME", "")
    return (Path(data) if os.path.isabs(data) else home_of(environment) / ".local/share") / "applications"  # noqa: PTH117


def linux_desktop(environment: Mapping[str, str]) -> Path:
    """Return the desktop's folder, whose name depends on the player's language."""
    home, config = home_of(environment), environment.get("XDG_CONFIG_HOME", "")
    folder = Path(config) if os.path.isabs(config) else home / ".config"  # noqa: PTH117
    with suppress(OSError):
        found = _DESKTOP_FOLDER.search((folder / "user-dirs.dirs").read_text(errors="replace"))
        if found:
            return home / found[2].lstrip("/") if found[1] else Path(found[2])
    return home / "Desktop"


def _windows_desktop() -> Path:
    return Path(_powershell(_FIND_DESKTOP, os.environ))


def _powershell(script: str, environment: Mapping[str, str]) -> str:
    """Run a script, and return its output. Raises CannotMakeShortcut."""
    command = ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", script]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        raise CannotMakeShortcut("The shortcut could not be made: PowerShell failed.") from error
    return done.stdout.strip()
