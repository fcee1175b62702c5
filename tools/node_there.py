"""Provide Node.js for building the web pages.

`node_there.py` looks for a recent Node.js with npm on the PATH. If there is none, it installs the one from PyPI into
the current environment. The exit status is 0 if Node.js is available at the end.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

NEEDED = (20, 19)
LOCKED = Path(__file__).parents[1] / "requirements" / "node.txt"


def version_on_path() -> tuple[int, int] | None:
    """Return the version of Node.js on the PATH, or nothing if it or npm is missing."""
    if not (shutil.which("node") and shutil.which("npm")):
        return None
    told = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.(\d+)", told)
    return (int(found[1]), int(found[2])) if found else None


def fetch() -> bool:
    """Install Node.js from PyPI into this environment, next to its Python."""
    print("Downloading Node.js to build the pages …", flush=True)
    uv = Path(sys.executable).with_name("uv")
    command = [str(uv), "pip", "install", "--quiet", "--python", sys.executable, "--require-hashes", "-r", str(LOCKED)]
    return subprocess.run(command, check=False).returncode == 0


def main() -> int:
    found = version_on_path()
    if found and found >= NEEDED:
        return 0
    if fetch():
        return 0
    there = f"Node.js {found[0]}.{found[1]} is too old" if found else "There is no Node.js with npm"
    print(f"{there}, and a newer one cannot be fetched: the pages are left out. Install Node.js 20.19 or newer.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
