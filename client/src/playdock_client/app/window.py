"""Windows that show the pages of the app.

A Chromium browser with ``--app`` has neither tabs nor an address bar. With a profile of its own its process lives as
long as the window.
"""

import os
import shutil
import subprocess
import sys
import webbrowser
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

# In this order; on Linux also as Flatpaks.
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser")
_FLATPAKS = ("org.chromium.Chromium", "com.google.Chrome", "com.microsoft.Edge", "com.brave.Browser")
_WINDOWS_PROGRAMS = (
    r"Microsoft\Edge\Application\msedge.exe",
    r"Google\Chrome\Application\chrome.exe",
    r"BraveSoftware\Brave-Browser\Application\brave.exe",
)
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


def browser_command(environment: Mapping[str, str]) -> list[str] | None:
    """Return the command of a Chromium browser, or None if there is none."""
    if sys.platform == "win32":
        folders = [Path(environment[each]) for each in _WINDOWS_FOLDERS if each in environment]
        return _first(folder / program for program in _WINDOWS_PROGRAMS for folder in folders)
    if sys.platform == "darwin":
        return _first(Path(each) for each in _MACOS_PROGRAMS)
    path = environment.get("PATH", os.defpath)
    found = next((program for each in _PROGRAMS if (program := shutil.which(each, path=path))), None)
    return [found] if found else _flatpak(path)


def window_arguments(url: str, profile: Path, *, big: bool, as_root: bool) -> Sequence[str]:
    """Return the arguments with which a Chromium browser shows a URL as an app; ``big`` fills the screen."""
    return [
        f"--app={url}",
        f"--user-data-dir={profile}",
        "--no-first-run",
        "--no-default-browser-check",
        "--window-size=1280,800",
        "--class=playdock",
        *(["--start-fullscreen"] if big else []),
        # Chromium refuses to run as root with its sandbox, which only containers and tests do.
        *(["--no-sandbox"] if as_root else []),
    ]


def open_window(
    url: str, profile: Path, environment: Mapping[str, str], *, big: bool = False
) -> subprocess.Popen[bytes] | None:
    """Show a URL in a window and return its process, or None if the default browser shows it."""
    command = browser_command(environment)
    if command is None:
        webbrowser.open(url)
        return None
    profile.mkdir(mode=0o700, parents=True, exist_ok=True)
    as_root = sys.platform == "linux" and os.geteuid() == 0
    return subprocess.Popen(  # noqa: S603 - a browser of this machine
        [*command, *window_arguments(url, profile, big=big, as_root=as_root)],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _first(programs: Iterable[Path]) -> list[str] | None:
    found = next((each for each in programs if each.is_file()), None)
    return [str(found)] if found else None


def _flatpak(path: str) -> list[str] | None:
    flatpak = shutil.which("flatpak", path=path)
    if flatpak is None:
        return None
    # Without access to udev a browser in a Flatpak sees no gamepads.
    for each in _FLATPAKS:
        if subprocess.run([flatpak, "info", each], capture_output=True, check=False).returncode == 0:  # noqa: S603
            return [flatpak, "run", "--filesystem=/run/udev:ro", each]
    return None
