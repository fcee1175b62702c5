"""Signals during a start: a process that is asked to stop never goes on to serve."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .service import PATIENCE

# Sends the signal to itself just before a function is called, and then goes on.
_PROGRAM = """
import os, sys
from playdock.cli import main, server

def interrupted(*arguments, **options):
    os.kill(os.getpid(), number)
    return original(*arguments, **options)

place, name, number = sys.argv.pop(), sys.argv.pop(), int(sys.argv.pop())
owner = {"server": server, "services": server.Services, "uvicorn": server.uvicorn.Server}[place]
original = getattr(owner, name)
setattr(owner, name, interrupted)
main.run()
"""


@pytest.mark.parametrize(
    ("command", "moment", "number"),
    [
        (("serve",), ("server", "prepare"), signal.SIGTERM),
        (("serve",), ("server", "application"), signal.SIGTERM),
        (("serve",), ("uvicorn", "run"), signal.SIGHUP),
        (("serve", "--workers", "2"), ("services", "close"), signal.SIGTERM),
        (("worker",), ("server", "open_settings"), signal.SIGHUP),
    ],
)
def test_a_start_that_is_interrupted_ends_with_status_0(
    tmp_path: Path, command: tuple[str, ...], moment: tuple[str, str], number: signal.Signals
) -> None:
    socket = tmp_path / "playdock.sock"
    options = ["--unix-socket", str(socket)] if "serve" in command else []
    place, name = moment
    ended = subprocess.run(
        [sys.executable, "-P", "-c", _PROGRAM, *command, *options, str(int(number)), name, place],
        env={"DATA_DIR": str(tmp_path / "data"), "DATABASE_URL": "", "METADATA_PROVIDERS": "none"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert not socket.exists()
