"""Build what players install: the client for Windows and Linux, its wheel, and their SHA-256 checksums.

    python tools/build_clients.py src/playdock/clients

`--only wheel linux windows` builds only some of them. With `PLAYDOCK_SIGNING_KEY` updates are signed (see
`release_signing`). Everything comes from the configured package index and from
Debian: `requirements/client*.txt` pin packages by their hashes. The same sources, `SOURCE_DATE_EPOCH` and Python result
in the same bytes.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from client_linux import build_linux
from client_windows import build_windows
from playdock_client import __version__
from release_signing import sign_updates, signing_key
from reproducible import ROOT, source_date_epoch
from system_packages import known_package, missing_programs, program_folders

CHECKSUMS = "SHA256SUMS"
KINDS = ("wheel", "linux", "windows")
_NEEDED = {"wheel": (), "linux": ("binutils",), "windows": ("nsis", "osslsigncode")}
_PATTERNS = (
    "playdock_client-*.whl",
    "playdock-client-*.tar.gz",
    "playdock-setup-*.exe",
    "playdock-update-*",
    CHECKSUMS,
)


def build(folder: Path, *, kinds: Sequence[str] = KINDS) -> list[Path]:
    """Replace the clients in the folder with new ones, and return their paths, sorted by name.

    Raise SystemExit if a program of Debian is missing, and CalledProcessError if a build fails.
    """
    _require_programs(kinds)
    folder.mkdir(parents=True, exist_ok=True)
    epoch = source_date_epoch()
    key = signing_key(os.environ)
    with tempfile.TemporaryDirectory(prefix="playdock-clients-") as temporary:
        work = Path(temporary)
        built = _build(work, kinds=kinds, epoch=epoch)
        for old in (path for pattern in _PATTERNS for path in folder.glob(pattern)):
            old.unlink()
        clients = sorted(Path(shutil.copy(path, folder)) for path in built)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in clients]
    (folder / CHECKSUMS).write_text("".join(lines))
    if key is not None:
        sign_updates(folder, lines, key)
    return clients


def _build(work: Path, *, kinds: Sequence[str], epoch: int) -> list[Path]:
    wheel = build_wheel(work, epoch=epoch)
    built = [wheel] if "wheel" in kinds else []
    build_python = _build_environment(work, wheel) if {"linux", "windows"} & set(kinds) else Path()
    if "linux" in kinds:
        archive = work / f"playdock-client-{__version__}-linux-x86_64.tar.gz"
        update = work / f"playdock-update-{__version__}-linux-x86_64.tar.xz"
        build_linux(archive, update, epoch=epoch, work=work / "linux", build_python=build_python)
        built += [archive, update]
    if "windows" in kinds:
        setup = work / f"playdock-setup-{__version__}-windows-x86_64.exe"
        update = work / f"playdock-update-{__version__}-windows-x86_64.tar.xz"
        build_windows(
            wheel, setup, update, version=__version__, epoch=epoch, work=work / "setup", build_python=build_python
        )
        built += [setup, update]
    return built


def build_wheel(folder: Path, *, epoch: int) -> Path:
    """Build the client's wheel in a folder."""
    options = ["--quiet", "--offline", "--no-build-isolation", "--no-create-gitignore", "--python", sys.executable]
    command: list[str | Path] = [_uv(), "build", "--wheel", *options, "--out-dir", folder, ROOT / "client"]
    subprocess.run(command, check=True, env=os.environ | {"SOURCE_DATE_EPOCH": str(epoch)})
    [wheel] = folder.glob("*.whl")
    return wheel


def _build_environment(work: Path, wheel: Path) -> Path:
    """Return the Python of a new environment with the client and the programs that pack it."""
    python = work / "environment/bin/python"
    subprocess.run([_uv(), "venv", "--quiet", "--python", sys.executable, python.parents[1]], check=True)
    install: list[str | Path] = [_uv(), "pip", "install", "--quiet", "--python", python]
    locks = [word for name in ("client", "client-build") for word in ("-r", ROOT / f"requirements/{name}.txt")]
    subprocess.run([*install, "--require-hashes", *locks], check=True)
    subprocess.run([*install, "--no-deps", "--offline", wheel], check=True)
    return python


def _uv() -> Path:
    return Path(sys.executable).with_name("uv")


def _require_programs(kinds: Sequence[str]) -> None:
    """Raise SystemExit if a package of Debian is missing."""
    needed = [known_package(name) for kind in kinds for name in _NEEDED[kind]]
    missing = [package.name for package in needed if missing_programs(package, path=program_folders())]
    if missing:
        raise SystemExit(f"To build the clients, install as root: apt-get install {' '.join(missing)}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the clients that the server offers, and their checksums.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=KINDS, default=KINDS, metavar="KIND", help=", ".join(KINDS))
    arguments = parser.parse_args()
    for path in build(arguments.folder, kinds=arguments.only):
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
