"""Build the archive for Linux: the client as a folder with its own Python (PyInstaller), and install scripts."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

from playdock.features.client_downloads.rules import ARCHIVE_END
from reproducible import ROOT, gzipped, tar_entries, update_archive

PACKAGING = ROOT / "client/packaging/linux"
_START = """\
import sys
from pathlib import Path

from playdock_client.updating.stub import run_selected_version

run_selected_version(Path(sys.executable))

from playdock_client.main import run

run()
"""


def build_linux(target: Path, update: Path, *, epoch: int, work: Path, build_python: Path) -> None:
    """Build the archive ``target``, and the one of an update. ``work`` is an empty folder.

    ``build_python`` has the client and PyInstaller.
    """
    folder = work / "playdock-client"
    folder.mkdir(parents=True)
    (work / "playdock-client.py").write_text(_START)
    places = [f"--distpath={work / 'frozen'}", f"--workpath={work / 'freezing'}", f"--specpath={work}"]
    options = ["--onedir", "--noconfirm", "--strip", "--log-level=ERROR", "--name=playdock-client"]
    modules = ["--collect-submodules=playdock_client", "--collect-data=playdock_client", "--exclude-module=setuptools"]
    start = work / "playdock-client.py"
    # A fixed seed of hashes makes the order of sets, and so compiled code, the same each time.
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch), "PYTHONHASHSEED": "0"}
    subprocess.run([build_python, "-m", "PyInstaller", *options, *modules, *places, start], check=True, env=environment)
    shutil.move(work / "frozen/playdock-client", folder / "program")
    update.write_bytes(update_archive(folder / "program", epoch=epoch))
    for path in sorted(PACKAGING.iterdir()):
        shutil.copy(path, folder)
    glibc = platform.libc_ver()[1]
    install = folder / "install.sh"
    install.write_text(install.read_text().replace("@GLIBC@", glibc))
    for script in (install, folder / "uninstall.sh", folder / "Install Playdock.desktop"):
        script.chmod(0o755)
    shutil.copy(ROOT / "web/public/icon.svg", folder / "playdock.svg")
    shutil.copy(ROOT / "LICENSE", folder / "LICENSE.txt")
    target.write_bytes(gzipped(tar_entries(folder, name=folder.name, epoch=epoch)) + ARCHIVE_END)
