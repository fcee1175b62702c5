"""Finds a Chromium browser, and the command with which it shows a page as an app.

With ``--app`` a window has neither tabs nor an address bar. With a profile of its own the browser's process lives as
long as the window.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

# In this order; on Linux also as Flatpaks.
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser")
_FLATPAKS = ("org.chromium.Chromium", "com.google.Chrome", "com.microsoft.Edge", "com.brave.Browser")
_WINDOWS_PROGRAMS = (
    r"Microsoft\Edge\Application\msedge.exe",
    r"Google\Chrome\Application\chrome.exe",
    r"BraveSoftware\Brave-Browser\Application\brave.exe",
)
_SNAPS = "/snap/bin/"
_WINDOWS_FOLDERS = ("ProgramFiles(x86)", "ProgramFiles", "LOCALAPPDATA")
_MACOS_PROGRAMS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
)


def is_game_mode(environment: Mapping[str, str]) -> bool:
    """Return whether this is Steam's game mode, on the Deck and elsewhere.

    There gamescope is the desktop, and Steam has started this process. On a normal desktop Steam sets its variables
    too, and gamescope can run single games.
    """
    is_gamescope = "gamescope" in environment.get("XDG_CURRENT_DESKTOP", "").lower().split(":")
    return is_gamescope and any(environment.get(each) == "1" for each in ("SteamDeck", "SteamGamepadUI"))


class Browser(msgspec.Struct, frozen=True):
    """A Chromium browser: the beginning of its command, and the folder of its profile, which it can read and write.

    ``has_pipe`` is whether it can be controlled through a pipe.
    """

    command: list[str]
    profile: Path
    has_pipe: bool

    def arguments(self, url: str, *, big: bool, as_root: bool) -> list[str]:
        """Return the whole command that shows a page; ``big`` fills the screen."""
        return [
            *self.command,
            f"--app={url}",
            f"--user-data-dir={self.profile}",
            "--no-first-run",
            "--no-default-browser-check",
            "--window-size=1280,800",
            "--class=playdock",
            *(["--remote-debugging-pipe"] if self.has_pipe else []),
            *(["--start-fullscreen"] if big else []),
            # Chromium refuses to run as root with its sandbox, which only containers and tests do.
            *(["--no-sandbox"] if as_root else []),
        ]


def find_browser(profile: Path, environment: Mapping[str, str]) -> Browser | None:
    """Return a Chromium browser, or None if there is none. ``profile`` is where its profile should be."""
    if sys.platform == "win32":
        folders = [Path(environment[each]) for each in _WINDOWS_FOLDERS if each in environment]
        found = _first(folder / program for program in _WINDOWS_PROGRAMS for folder in folders)
        return Browser([found], profile, has_pipe=False) if found else None
    if sys.platform == "darwin":
        found = _first(Path(each) for each in _MACOS_PROGRAMS)
        return Browser([found], profile, has_pipe=True) if found else None
    path = environment.get("PATH", os.defpath)
    found = next((program for each in _PROGRAMS if (program := shutil.which(each, path=path))), None)
    if found is None:
        return _flatpak(path, profile)
    if found.startswith(_SNAPS):
        # A snap sees no hidden folder of the player, but this one.
        profile = Path(environment.get("HOME", "")) / "snap" / Path(found).name / "common/playdock"
    return Browser([found], profile, has_pipe=True)


def _first(programs: Iterable[Path]) -> str | None:
    return next((str(each) for each in programs if each.is_file()), None)


def _flatpak(path: str, profile: Path) -> Browser | None:
    flatpak = shutil.which("flatpak", path=path)
    if flatpak is None:
        return None
    for each in _FLATPAKS:
        if subprocess.run([flatpak, "info", each], capture_output=True, check=False).returncode == 0:  # noqa: S603
            # It sees neither the profile nor, without udev, any gamepad.
            folders = [f"--filesystem={profile}", "--filesystem=/run/udev:ro"]
            return Browser([flatpak, "run", *folders, each], profile, has_pipe=False)
    return None
