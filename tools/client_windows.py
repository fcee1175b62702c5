"""Build the setup program for Windows: CPython, the client with its libraries, and NSIS."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from reproducible import ROOT, set_times, update_archive, zipped
from windows_python import write_windows_python

PACKAGING = ROOT / "client/packaging/windows"
# The release of CPython in requirements/windows-python.txt.
_PYTHON = "3.13"
# Without this file CPython would look for packages elsewhere on the computer, too.
_SEARCH_PATH = ".\r\nLib\r\n..\\lib\r\n"
_CONSOLE = """\
import sys
from pathlib import Path

from playdock_client.updating.stub import run_selected_version

run_selected_version(Path(sys.argv[0]))

from playdock_client.main import run

run()
"""
# Without arguments, or with a playdock:// link, the program without a console starts the app.
_WINDOW = """\
import sys

if not sys.argv[1:] or sys.argv[1].startswith("playdock:"):
    sys.argv.insert(1, "app")
""" + _CONSOLE.removeprefix("import sys\n")


def build_windows(
    wheel: Path, target: Path, update: Path, *, version: str, epoch: int, work: Path, build_python: Path
) -> None:
    """Build the setup program ``target``, and the archive of an update. ``work`` is an empty folder.

    ``build_python`` has the package distlib.
    """
    app = work / "windows"
    write_windows_python(app / "runtime", downloads=_downloads())
    (app / "runtime/python313._pth").write_bytes(_SEARCH_PATH.encode())
    _install_packages(wheel, app / "lib")
    update.write_bytes(update_archive(app, epoch=epoch))
    for name, kind, script, python in (
        ("playdock-client.exe", "t64.exe", _CONSOLE, "python.exe"),
        ("Playdock.exe", "w64.exe", _WINDOW, "pythonw.exe"),
    ):
        launcher = _launcher(kind, build_python=build_python)
        shebang = f'#!"<launcher_dir>\\runtime\\{python}"\r\n'.encode()
        (app / name).write_bytes(launcher + shebang + zipped({"__main__.py": script.encode()}, epoch=epoch))
    shutil.copy(PACKAGING / "playdock.ico", app)
    shutil.copy(ROOT / "LICENSE", app / "LICENSE.txt")
    set_times(app, epoch=epoch)
    _make_setup(app, target, version=version, epoch=epoch)


def _downloads() -> Path:
    folder = ROOT / ".cache/clients/downloads"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _install_packages(wheel: Path, folder: Path) -> None:
    """Install the client and its libraries for Windows into a folder."""
    uv = Path(sys.executable).with_name("uv")
    options = ["--quiet", "--python-platform", "x86_64-pc-windows-msvc", "--python-version", _PYTHON, "--target"]
    install: list[str | Path] = [uv, "pip", "install", *options, folder, "--only-binary", ":all:"]
    subprocess.run([*install, "--require-hashes", "-r", ROOT / "requirements/client.txt"], check=True)
    subprocess.run([*install, "--no-deps", "--offline", wheel], check=True)
    # The programs are for other layouts of folders, and the records of installations contain local paths.
    for useless in (folder / "bin", folder / "Scripts"):
        shutil.rmtree(useless, ignore_errors=True)
    for record in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"):
        for path in folder.glob(f"*.dist-info/{record}"):
            path.unlink()
    for lock in folder.glob(".lock"):
        lock.unlink()


def _launcher(kind: str, *, build_python: Path) -> bytes:
    """Return the program of distlib that starts the Python script at its own end."""
    script = "import distlib, pathlib, sys; print(pathlib.Path(distlib.__file__).with_name(sys.argv[1]))"
    done = subprocess.run([build_python, "-c", script, kind], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()).read_bytes()


def _make_setup(app: Path, target: Path, *, version: str, epoch: int) -> None:
    defines = {"VERSION": version, "APP": app, "OUTPUT": target, "ICON": PACKAGING / "playdock.ico"}
    options = [f"-D{name}={value}" for name, value in defines.items()]
    command = ["makensis", "-V2", "-INPUTCHARSET", "UTF8", "-NOCD", *options, str(PACKAGING / "setup.nsi")]
    subprocess.run(command, check=True, env=os.environ | {"SOURCE_DATE_EPOCH": str(epoch)})
