"""Build a release: sdists and wheels of the server and the client, the clients for players, and SHA-256 checksums.

    python tools/build_release.py dist

Each wheel is built from its sdist, so a sdist that lacks a file fails here. Nothing is downloaded: the build backend is
the one installed beside this interpreter. The pages and the clients must have been built before (`make release` does
all). Clients in `src/playdock/clients` are also in the packages of the server.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHECKSUMS = "SHA256SUMS"
CLIENTS = ROOT / "src/playdock/clients"
PAGES = ROOT / "src/playdock/web/built/index.html"
_PROJECTS = (ROOT, ROOT / "client")


def build(folder: Path, *, projects: tuple[Path, ...] = _PROJECTS) -> list[Path]:
    """Replace the packages in the folder with new ones, and return their paths, sorted by name.

    Raise SystemExit if the pages have not been built, and CalledProcessError if a build fails.
    """
    if not PAGES.exists():
        raise SystemExit("The pages have not been built. Install Node.js 20.19 or newer and run `make release`.")
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*_packages(folder), folder / CHECKSUMS):
        old.unlink(missing_ok=True)
    for project in projects:
        _build_project(project, folder=folder)
    shutil.rmtree(folder / CLIENTS.name, ignore_errors=True)
    if CLIENTS.exists():
        shutil.copytree(CLIENTS, folder / CLIENTS.name)
    packages = _packages(folder)
    lines = [f"{hashlib.sha256(package.read_bytes()).hexdigest()}  {package.name}\n" for package in packages]
    (folder / CHECKSUMS).write_text("".join(lines))
    return packages


def _build_project(project: Path, *, folder: Path) -> None:
    """Build the sdist from the project, and the wheel from the sdist."""
    uv = Path(sys.executable).with_name("uv")
    options = ["--quiet", "--offline", "--no-build-isolation", "--no-create-gitignore", "--python", sys.executable]
    subprocess.run([uv, "build", *options, "--out-dir", folder, project], check=True)


def _packages(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")])


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the packages of a release and their checksums.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for package in build(folder):
        print(f"{package.name}: {package.stat().st_size / 1e6:.1f} MB")
    print(f"{CHECKSUMS}: check with `sha256sum --check {CHECKSUMS}` in {folder}")


if __name__ == "__main__":
    main()
