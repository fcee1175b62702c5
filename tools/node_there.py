"""Node.js, which the pages are built with: there, or fetched, or told to be missing.

`node_there.py` looks for Node.js that is new enough, with npm, on PATH. Where there is none, the one that PyPI has is
put into the environment this runs in. The exit status tells whether there is one in the end.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

NEEDED = (20, 19)
LOCKED = Path(__file__).parents[1] / "requirements" / "node.txt"


def version_on_path() -> tuple[int, int] | None:
    """Give the version of the Node.js that would run, or nothing without one, or without npm beside it."""
    if not (shutil.which("node") and shutil.which("npm")):
        return None
    told = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.(\d+)", told)
    return (int(found[1]), int(found[2])) if found else None


def fetch() -> bool:
    """Put PyPI's Node.js into this environment; its programs lie beside this Python's."""
    print("Fetching Node.js, to build the pages with …", flush=True)
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
