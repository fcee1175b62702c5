"""The machine on which games run."""

import os
import shutil
import sys
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

WINDOWS, LINUX, MACOS = "Windows", "Linux", "macOS"
PLATFORMS = (WINDOWS, LINUX, MACOS)

# A program built by PyInstaller sets the first one for itself, and keeps the original value in the second.
_LIBRARY_PATH, _ORIGINAL_LIBRARY_PATH = "LD_LIBRARY_PATH", "LD_LIBRARY_PATH_ORIG"
# With these it tells processes that are the same program not to do that again.
_FROZEN_PREFIX = "_PYI_"


def restore_library_path(environment: MutableMapping[str, str], *, frozen: bool) -> None:
    """Let the programs that this one starts use the system's libraries, if this one is `frozen` with its own.

    If one of them is this program again, it finds its own libraries as this one has.
    """
    if frozen:
        for name in [each for each in environment if each.startswith(_FROZEN_PREFIX)]:
            del environment[name]
        environment.pop(_LIBRARY_PATH, None)
        if original := environment.pop(_ORIGINAL_LIBRARY_PATH, None):
            environment[_LIBRARY_PATH] = original


@dataclass(frozen=True, slots=True)
class Machine:
    """The platform, by its name in the API, and the path of umu-run (runs Windows programs on Linux), if installed."""

    platform: str
    umu: str | None = None

    @classmethod
    def detect(cls, environment: Mapping[str, str]) -> Self:
        platform = {"win32": WINDOWS, "darwin": MACOS}.get(sys.platform, LINUX)
        umu = shutil.which("umu-run", path=environment.get("PATH", os.defpath))
        # A relative entry of PATH would not work in the game's folder.
        return cls(platform, umu and str(Path(umu).absolute()))

    @property
    def runs(self) -> tuple[str, ...]:
        """Return the platforms whose games can run here, the preferred one first."""
        return (LINUX, WINDOWS) if self.platform == LINUX else (self.platform,)
