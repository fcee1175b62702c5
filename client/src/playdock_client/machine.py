"""The machine that games are to run on."""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

WINDOWS, LINUX, MACOS = "Windows", "Linux", "macOS"
PLATFORMS = (WINDOWS, LINUX, MACOS)


@dataclass(frozen=True, slots=True)
class Machine:
    """Its platform, by the server's name for it, and the way to what runs Windows programs on Linux, if it is there."""

    platform: str
    umu: str | None = None

    @classmethod
    def here(cls, environment: Mapping[str, str]) -> Self:
        platform = {"win32": WINDOWS, "darwin": MACOS}.get(sys.platform, LINUX)
        umu = shutil.which("umu-run", path=environment.get("PATH", os.defpath))
        # A PATH may name folders from where we are, and games run elsewhere.
        return cls(platform, umu and str(Path(umu).absolute()))

    @property
    def runs(self) -> tuple[str, ...]:
        """Give the platforms whose games can run here, the best first."""
        return (LINUX, WINDOWS) if self.platform == LINUX else (self.platform,)
