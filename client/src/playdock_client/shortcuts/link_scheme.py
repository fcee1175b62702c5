"""Registers this client for links of the form ``playdock://…``.

Linux: a desktop entry, made the default with ``xdg-mime``. Windows: keys of the current user. macOS: an applet in the
player's folder for applications, with which the app can be started too.
"""

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

from playdock_client.atomic_files import write_atomically
from playdock_client.client_folders import home_of
from playdock_client.errors import ClientError
from playdock_client.links import SCHEME
from playdock_client.machine import LINUX, MACOS, WINDOWS, Machine
from playdock_client.shortcuts.client_program import client_program
from playdock_client.shortcuts.desktop_entry import URL_FIELD, DesktopEntry
from playdock_client.shortcuts.game_shortcuts import applications, home_prefix
from playdock_client.shortcuts.mac_bundle import applet_script, read_info, write_applet

if sys.platform == "win32":
    import winreg

_FILE = "playdock-client-links.desktop"
_KEY = rf"Software\Classes\{SCHEME}"
_COMMAND_KEY = rf"{_KEY}\shell\open\command"
_APPLET = "Applications/Playdock.app"
_APPLET_IDENTIFIER = "playdock.client"
_LAUNCH_SERVICES = (
    "/System/Library/Frameworks/CoreServices.framework/Frameworks/LaunchServices.framework/Support/lsregister"
)


class CannotRegister(ClientError):
    """This system cannot register the client for links."""


def register_scheme(machine: Machine, environment: Mapping[str, str]) -> None:
    """Let this client open links of the scheme, for this player. Raises CannotRegister, OSError."""
    command = [*client_program(environment), "open-url"]
    if machine.platform == LINUX:
        entry = DesktopEntry(
            "Playdock", "Opens links to games", [*home_prefix(environment), *command, URL_FIELD], scheme=SCHEME
        )
        folder = applications(environment)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / _FILE, entry.text().encode())
        (folder / _FILE).chmod(0o644)
        _run(["xdg-mime", "default", _FILE, f"x-scheme-handler/{SCHEME}"], environment)
        _run(["update-desktop-database", str(folder)], environment)
    elif machine.platform == WINDOWS:
        _register_on_windows(f'{subprocess.list2cmdline(command)} "%1"')
    else:
        _register_on_macos([*home_prefix(environment), *client_program(environment)], environment)


def unregister_scheme(machine: Machine, environment: Mapping[str, str]) -> None:
    """Undo the registration."""
    if machine.platform == LINUX:
        (applications(environment) / _FILE).unlink(missing_ok=True)
        _run(["update-desktop-database", str(applications(environment))], environment)
    elif machine.platform == MACOS:
        applet = home_of(environment) / _APPLET
        if read_info(applet).get("CFBundleIdentifier") == _APPLET_IDENTIFIER:
            _run([_LAUNCH_SERVICES, "-u", str(applet)], environment)
            shutil.rmtree(applet)
    elif sys.platform == "win32":
        for key in (_COMMAND_KEY, rf"{_KEY}\shell\open", rf"{_KEY}\shell", _KEY):
            try:
                winreg.DeleteKey(winreg.HKEY_CURRENT_USER, key)
            except FileNotFoundError:
                continue


def _register_on_macos(command: Sequence[str], environment: Mapping[str, str]) -> None:
    applet = home_of(environment) / _APPLET
    try:
        changed = write_applet(
            applet,
            "Playdock",
            _APPLET_IDENTIFIER,
            script=applet_script(command),
            scheme=SCHEME,
            environment=environment,
        )
    except subprocess.CalledProcessError as error:
        raise CannotRegister(f"macOS could not make an applet for links: {error.cmd[0]} failed.") from error
    if changed:
        _run([_LAUNCH_SERVICES, "-f", str(applet)], environment)


def _register_on_windows(command: str) -> None:
    if sys.platform == "win32":
        with winreg.CreateKey(winreg.HKEY_CURRENT_USER, _KEY) as key:
            winreg.SetValueEx(key, None, 0, winreg.REG_SZ, "URL:Playdock")
            winreg.SetValueEx(key, "URL Protocol", 0, winreg.REG_SZ, "")
        with winreg.CreateKey(winreg.HKEY_CURRENT_USER, _COMMAND_KEY) as key:
            winreg.SetValueEx(key, None, 0, winreg.REG_SZ, command)


def _run(command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Run a program of the desktop, if there is one. Without it the entry is found at the next sign-in."""
    program = shutil.which(command[0], path=environment.get("PATH"))
    if program:
        subprocess.run([program, *command[1:]], env=environment, capture_output=True, check=False)  # noqa: S603
