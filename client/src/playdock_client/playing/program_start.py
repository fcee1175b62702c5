"""How to start a program."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ProgramStart:
    """How to start a program. `inherited` are descriptors that the program inherits; `piped` catches its output."""

    command: Sequence[str] | str
    folder: Path
    environment: Mapping[str, str]
    output: int | None = None
    piped: bool = False
    inherited: Sequence[int] = ()

    def open(self, *, flags: int = 0) -> subprocess.Popen[bytes]:
        """Start the program. Raises OSError."""
        return subprocess.Popen(  # noqa: S603 - the player launches it
            self.command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE if self.piped else self.output,
            stderr=subprocess.PIPE if self.piped else None,
            pass_fds=() if os.name == "nt" else self.inherited,
            creationflags=flags,
        )
