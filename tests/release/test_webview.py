"""A window of pywebview, with WebKitGTK on a screen that nobody sees."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from build_release import ROOT
from client.app.window import PATIENCE
from client.commands.conftest import Player, member, player, shop
from release.screens import screen

__all__ = ["member", "player", "shop"]

pytestmark = [pytest.mark.heavy, pytest.mark.network]

_PYTHON = "/usr/bin/python3"
_WEBKIT = "import gi; gi.require_version('WebKit2', '4.1'); from gi.repository import WebKit2"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The client with its extra, for the system's Python, which alone can use WebKitGTK."""
    found = subprocess.run([_PYTHON, "-c", _WEBKIT], capture_output=True, check=False)
    if found.returncode or shutil.which("Xvfb") is None:
        # These are too large to be required.
        pytest.skip("Not tested without Debian's packages gir1.2-webkit2-4.1, python3-gi and xvfb.")
    folder = tmp_path / "environment"
    subprocess.run([_PYTHON, "-m", "venv", "--system-site-packages", "--without-pip", folder], check=True)
    uv = Path(sys.executable).with_name("uv")
    install = [
        str(uv),
        "pip",
        "install",
        "--quiet",
        "--python",
        str(folder / "bin/python"),
        f"{ROOT / 'client'}[window]",
    ]
    subprocess.run(install, check=True)
    return folder / "bin/playdock-client"


def test_the_pages_are_shown_without_chromium(program: Path, member: Player, tmp_path: Path) -> None:
    nothing = tmp_path / "programs"
    nothing.mkdir()
    # WebKit's own sandbox needs a user who is not root.
    quirks = {"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1"}
    variables = {"PATH": str(nothing), "HOME": str(member.home), "PLAYDOCK_CLIENT_HOME": str(member.home)}
    with screen() as display:
        environment = {**variables, **quirks, "PLAYDOCK_DISCOVERY": "off", "DISPLAY": display}
        with subprocess.Popen([program, "app"], env=environment) as app:
            # Whatever the store asks for is kept for times without a connection.
            _wait_for_the_store(member.folders.data / "offline")
            subprocess.run([program, "app"], env=environment, check=True, timeout=PATIENCE)
            assert app.poll() is None
            app.terminate()
            app.wait(PATIENCE)


def _wait_for_the_store(folder: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not any('"/api/v1/store' in file.read_text() for file in folder.rglob("*.json")):
        assert time.monotonic() < deadline
        time.sleep(0.1)
