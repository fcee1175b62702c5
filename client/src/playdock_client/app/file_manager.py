"""Shows folders in the system's file manager."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playdock_client.errors import ClientError


def show_folder(folder: Path) -> None:
    """Show a game's folder. Raises ClientError."""
    try:
        if sys.platform == "win32":
            os.startfile(folder)  # noqa: S606 - the player's own folder
            return
        opener = shutil.which("open" if sys.platform == "darwin" else "xdg-open")
        if opener is None:
            raise ClientError(f"There is no program to show folders. The game is in {folder}.")
        subprocess.Popen([opener, str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    except OSError as error:
        raise ClientError(f"The folder cannot be shown: {error.strerror or error}. The game is in {folder}.") from error
