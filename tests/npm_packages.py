"""Packages of npm that only some tests need, in their locked versions."""

import shutil
import subprocess
from pathlib import Path

from architecture.source import ROOT


def install_packages(name: str, folder: Path) -> None:
    """Install the packages of ``requirements/<name>`` in a folder, without running their scripts."""
    for file in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / "requirements" / name / file, folder)
    command = ["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"]
    subprocess.run(command, cwd=folder, check=True)
