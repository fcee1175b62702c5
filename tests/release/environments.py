"""Virtual environments that contain only an installed wheel and its dependencies, without Node.js on PATH."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from build_release import ROOT
from release.lacking import skip

_UV = Path(sys.executable).with_name("uv")


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment, with environment variables that hide everything outside of it."""

    folder: Path

    @property
    def variables(self) -> dict[str, str]:
        return {"PATH": str(self.folder / "bin"), "PYTHONPATH": "", "VIRTUAL_ENV": str(self.folder)}

    def program(self, name: str) -> Path:
        return self.folder / "bin" / name


def environment_with(wheel: Path, *, folder: Path, locked: str) -> Environment:
    """Install a wheel and the locked versions of its dependencies, which `make test` left in uv's cache.

    Skip the test when the cache lacks a package, for tests have no network; in continuous integration, fail.
    """
    found = Environment(folder)
    subprocess.run([_UV, "venv", "--quiet", "--offline", "--python", sys.executable, folder], check=True)
    options = ["--offline", "--quiet", "--python", str(found.program("python"))]
    constraints = str(ROOT / "requirements" / locked)
    command = [str(_UV), "pip", "install", *options, "--constraints", constraints, str(wheel)]
    installed = subprocess.run(command, capture_output=True, text=True, check=False)
    if installed.returncode:
        skip(f"uv's cache lacks a dependency of {wheel.name}: {installed.stderr}")
    assert shutil.which("node", path=found.variables["PATH"]) is None
    return found
