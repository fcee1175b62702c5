"""Small builds of the client: the real package with another version, run by this Python instead of a frozen one."""

import hashlib
import re
import shutil
import sys
from pathlib import Path

import playdock_client
from playdock_client.updating.versions import FOLDER_NAME
from reproducible import update_archive

_START = """\
#!{python}
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))

from playdock_client.updating.stub import run_selected_version

run_selected_version(Path(__file__))
{defect}
from playdock_client.main import run

run()
"""
# It answers `--version`, but the app ends at once.
BROKEN = 'if "app" in sys.argv: sys.exit("broken")'


def write_build(folder: Path, version: str, *, defect: str = "") -> Path:
    """Write a build and return its start program."""
    package = folder / "lib/playdock_client"
    shutil.copytree(Path(playdock_client.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    own = package / "__init__.py"
    own.write_text(re.sub(r'__version__ = ".*"', f'__version__ = "{version}"', own.read_text()))
    program = folder / "playdock-client"
    program.write_text(_START.format(python=sys.executable, defect=defect))
    program.chmod(0o755)
    return program


def write_base(folder: Path, version: str) -> Path:
    """Write what a setup program installs, and return its start program."""
    program = write_build(folder, version)
    (folder / FOLDER_NAME).mkdir()
    return program


def archive_of(folder: Path, version: str, *, defect: str = "") -> bytes:
    """Return the archive of an update."""
    write_build(folder / version, version, defect=defect)
    return update_archive(folder / version, epoch=1_700_000_000)


def offer_update(folder: Path, version: str, archive: bytes) -> None:
    """Let a server offer exactly this update."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    name = f"playdock-update-{version}-linux-x86_64.tar.xz"
    (folder / name).write_bytes(archive)
    (folder / "SHA256SUMS").write_text(f"{hashlib.sha256(archive).hexdigest()}  {name}\n")
