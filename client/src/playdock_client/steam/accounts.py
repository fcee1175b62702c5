"""Where Steam is, which accounts it has on this machine, and whether it runs."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from playdock_client.machine import LINUX, MACOS

if sys.platform == "win32":
    import winreg

# Steam from a package, from its own installer, and on the Steam Deck. In a sandbox, Steam cannot start this client.
_LINUX_FOLDERS = (".steam/steam", ".steam/root", ".local/share/Steam")
_SANDBOXED_FOLDERS = (
    ".var/app/com.valvesoftware.Steam/.local/share/Steam",
    ".var/app/com.valvesoftware.Steam/data/Steam",
    "snap/steam/common/.local/share/Steam",
)
_MAC_FOLDER = "Library/Application Support/Steam"
_PID_FILE = ".steam/steam.pid"
_REGISTRY_KEY = r"Software\Valve\Steam"
# The folder of what is not part of an account.
_NO_ACCOUNT = "0"


@dataclass(frozen=True, slots=True)
class SteamAccount:
    """The folder of an account on this machine."""

    folder: Path

    @property
    def shortcuts(self) -> Path:
        return self.folder / "config" / "shortcuts.vdf"

    @property
    def pictures(self) -> Path:
        return self.folder / "config" / "grid"


def steam_accounts(platform: str, home: Path) -> Sequence[SteamAccount]:
    """Return all accounts that have used Steam on this machine, none if it is not installed."""
    folders = {(root / "userdata").resolve() for root in _steam_folders(platform, home)}
    accounts = [each for folder in sorted(folders) if folder.is_dir() for each in sorted(folder.iterdir())]
    return [SteamAccount(each) for each in accounts if each.name.isdecimal() and each.name != _NO_ACCOUNT]


def steam_folders(platform: str, home: Path) -> Sequence[Path]:
    """Return where Steam may be, also in a sandbox; each of its games may be in any of them."""
    sandboxed = [home / folder for folder in _SANDBOXED_FOLDERS] if platform == LINUX else []
    return list(dict.fromkeys(folder.resolve() for folder in [*_steam_folders(platform, home), *sandboxed]))


def is_steam_running(platform: str, home: Path) -> bool:
    """Return whether Steam runs, so that it would overwrite changes of its files."""
    if platform == LINUX:
        return _runs_on_linux(home)
    if platform == MACOS:
        found = subprocess.run(["/usr/bin/pgrep", "-x", "steam_osx"], capture_output=True, check=False)
        return found.returncode == 0
    return _registry_value(rf"{_REGISTRY_KEY}\ActiveProcess", "pid") not in (None, 0)


def _runs_on_linux(home: Path) -> bool:
    """Return whether the process in Steam's file exists and is Steam's, since ids are used again."""
    with suppress(OSError, ValueError):
        pid = int((home / _PID_FILE).read_text())
        return "steam" in Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").lower()
    return False


def _steam_folders(platform: str, home: Path) -> Sequence[Path]:
    if platform == LINUX:
        return [home / folder for folder in _LINUX_FOLDERS]
    if platform == MACOS:
        return [home / _MAC_FOLDER]
    found = _registry_value(_REGISTRY_KEY, "SteamPath")
    return [Path(found)] if isinstance(found, str) else []


def _registry_value(key: str, name: str) -> object:
    """Return a value of the current user's registry, None if there is none."""
    if sys.platform == "win32":
        with suppress(OSError), winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as opened:
            return winreg.QueryValueEx(opened, name)[0]
    return None
