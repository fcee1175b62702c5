"""The first lines of the client's start program: run the selected version instead of the base.

Shortcuts, links and Steam start this program. It is replaced only by a setup program, so it does as little as possible.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from playdock_client.machine import restore_library_path
from playdock_client.shortcuts.client_program import PROGRAM_VARIABLE
from playdock_client.updating.version_state import BASE
from playdock_client.updating.versions import FOLDER_NAME, Versions

# Tells the selected version where the versions are.
VERSIONS_VARIABLE = "PLAYDOCK_CLIENT_VERSIONS"
_APP_COMMANDS = ("app", "open-url")


def run_selected_version(program: Path) -> None:
    """Run the selected version in place of this process, or return if that is the base, which is running already.

    ``program`` is the start program. It is a stub if the folder of versions is beside it.
    """
    folder = program.resolve().parent / FOLDER_NAME
    if not folder.is_dir():
        return
    os.environ[PROGRAM_VARIABLE] = str(program.resolve())
    os.environ[VERSIONS_VARIABLE] = str(folder)
    versions = Versions(folder)
    for version in versions.selected(is_app=is_app(sys.argv[1:])):
        if version == BASE:
            return
        command = versions.command(version)
        if command is not None:
            versions.use(version)
            with suppress(OSError):
                _run([*command, *sys.argv[1:]])


def is_app(words: Sequence[str]) -> bool:
    """Return whether a command line opens the app, which is what shows that a new version works."""
    return next((word for word in words if not word.startswith("-")), "") in _APP_COMMANDS


def _run(command: Sequence[str]) -> None:
    """Replace this process by a program. Raises OSError if it cannot be started."""
    restore_library_path(os.environ, frozen=getattr(sys, "frozen", False))
    # Otherwise the program takes the unpacked libraries of this one for its own (PyInstaller).
    os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
    if sys.platform == "win32":
        # Programs without a console inherit their output only if it is passed on.
        streams = {"stdin": sys.stdin, "stdout": sys.stdout, "stderr": sys.stderr}
        process = subprocess.Popen(command, **streams)  # noqa: S603 - a version of this program
        while True:
            # Ctrl-C reaches both processes; the other one decides what happens.
            with suppress(KeyboardInterrupt):
                sys.exit(process.wait())
    else:
        os.execv(command[0], list(command))  # noqa: S606 - a version of this program
