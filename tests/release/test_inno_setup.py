"""Inno Setup's installers, compiled by its compiler and run on a 32-bit Windows (wine in a small Debian of its own)."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from npm_packages import install_packages
from plans import computed, row_of
from playdock_client.launch_command import split
from playdock_client.machine import WINDOWS
from release.client_systems import run_program
from release.lacking import require, skip
from world import World

pytestmark = [pytest.mark.heavy, pytest.mark.network]

_SOURCE = """\
[Setup]
AppName=Doom
AppVersion=1.0
DefaultDirName={autopf}\\Doom
OutputDir=made
OutputBaseFilename=setup_doom_1.0
DiskSpanning=yes
DiskSliceSize=max
[Files]
Source: "files\\*"; DestDir: "{app}"
"""
_GAME = {"game.exe": b"MZ not really", "data.pak": bytes(range(256)) * 1000}
_SETUP = "setup_doom_1.0.exe"
_RELEASE = "bookworm"
# The mounts and all processes end with the shell.
_RUN = """\
for folder in proc sys dev; do mount --rbind "/$folder" "$0/$folder"; done
exec chroot "$0" /usr/bin/env --chdir "/work/$1" sh -c '
xvfb-run --auto-servernum "$@"
status=$?
wineserver -k
exit $status' sh "${@:2}"
"""


@dataclass(frozen=True, slots=True)
class Windows:
    """A Debian with wine; what is in ``work`` is the drive Z's folder of the same name."""

    root: Path

    @property
    def work(self) -> Path:
        return self.root / "work"

    def run(self, *words: str, folder: str = ".") -> None:
        own = {"WINEPREFIX": "/work/prefix", "WINEDEBUG": "-all", "WINEARCH": "win32", "HOME": "/work"}
        alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/wine", "LANG": "C.UTF-8", **own}
        run_program([*alone, "bash", "-ec", _RUN, self.root, folder, "wine", *words], environment)


@pytest.fixture
def windows(tmp_path: Path) -> Iterator[Windows]:
    require("mmdebstrap", "unshare", "npm", "apt-get")
    if os.geteuid():
        skip("Only root can make a Debian with 32-bit programs.")
    root = tmp_path / "windows"
    packages = ["--variant=minbase", "--architectures=i386", "--include=wine,wine32,xauth,xvfb"]
    # The packages that apt knows here, without updates of security: its index for i386 is not always complete.
    targets = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", f"Codename: {_RELEASE}"]
    addresses = subprocess.run(targets, capture_output=True, text=True, check=True).stdout.split()
    if not addresses:
        skip(f"apt knows no packages of Debian's {_RELEASE} here.")
    archive = f"deb {addresses[0]} {_RELEASE} main"
    subprocess.run(["mmdebstrap", "--quiet", *packages, _RELEASE, root, archive], check=True)
    (root / "work").mkdir()
    yield Windows(root)
    shutil.rmtree(root)


def compile_installer(windows: Windows, folder: Path) -> Path:
    """Compile an installer of a game, and return the folder with its files."""
    install_packages("inno-setup", folder)
    shutil.copytree(folder / "node_modules/innosetup/bin", windows.work / "compiler")
    (windows.work / "files").mkdir()
    for name, content in _GAME.items():
        (windows.work / "files" / name).write_bytes(content)
    (windows.work / "game.iss").write_text(_SOURCE)
    windows.run("compiler/ISCC.exe", "/Q", "game.iss")
    return windows.work / "made"


@pytest.mark.timeout(1800)  # a Debian is downloaded and made
def test_the_proposed_arguments_install_a_game_silently_beside_its_installer(
    windows: Windows, world: World, tmp_path: Path
) -> None:
    installer = compile_installer(windows, tmp_path)
    for part in installer.iterdir():
        world.put(f"Doom/1.0/{part.name}", part.read_bytes())
    admin = world.admin()
    world.library(admin)
    [proposed] = row_of(computed(world, admin), "Doom")["versions"]
    assert (proposed["onlySetup"], proposed["setup"], proposed["platform"]) == (True, _SETUP, "Windows")

    installed = windows.work / "My Games/Doom"
    shutil.copytree(installer, installed)
    windows.run(_SETUP, *split(proposed["setupArgs"], platform=WINDOWS), folder="My Games/Doom")

    assert {path.name: path.read_bytes() for path in (installed / "Installed").iterdir() if path.name in _GAME} == _GAME
