"""The image is small, and serves."""

import os
import re
import subprocess
import time
from pathlib import Path

import httpx2
import pytest

from deploy.image import Image
from processes.service import PATIENCE, free_port, until

# Building takes minutes, and much longer on a busy machine.
pytestmark = [pytest.mark.heavy, pytest.mark.network, pytest.mark.timeout(3600)]

MAX_BYTES = 200_000_000
USER = 10001
PASSWORD = "correct horse battery"
BUILD_TOOLS = ("cc", "gcc", "make", "git", "node", "npm", "pip", "pip3", "uv")


def test_the_image_is_small(image: Image) -> None:
    print(f"The image has {image.archive_bytes / 1e6:.0f} MB, compressed.")  # noqa: T201 - a figure of docs/benchmarks.md
    assert image.archive_bytes < MAX_BYTES


def test_the_image_serves(image: Image, tmp_path: Path) -> None:
    data, port = tmp_path / "data", free_port()
    data.mkdir(mode=0o755)
    os.chown(data, USER, USER)
    options = ["--network", "host", "--no-healthcheck", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "all"]
    # Without these, podman raises limits, which it may not do everywhere.
    options += ["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096", "--security-opt", "no-new-privileges"]
    command = ["serve", "--port", str(port)]
    name = image.podman("create", *options, "--volume", f"{data}:/data", "localhost/playdock", *command).strip()
    began = time.monotonic()
    with subprocess.Popen([*image.podman_command, "start", "--attach", name]) as running:
        address = f"http://127.0.0.1:{port}"
        until(lambda: _is_ready(address), what="the first answer")
        print(f"The image answers after {time.monotonic() - began:.1f} s.")  # noqa: T201 - as above
        _sign_in(address, image.podman("logs", name))

        found = image.podman("exec", name, "sh", "-c", f"id -u; command -v {' '.join(BUILD_TOOLS)}; true")
        assert found.split() == [str(USER)]
        modes = {path.name: path.stat().st_mode & 0o077 for path in data.rglob("*")}
        assert ("playdock.sqlite3" in modes, {name for name, mode in modes.items() if mode}) == (True, set())

        image.podman("stop", "--time", "60", name)
        assert running.wait(PATIENCE) == 0


def _is_ready(address: str) -> bool:
    try:
        return httpx2.get(f"{address}/health/ready").is_success
    except httpx2.TransportError:
        return False


def _sign_in(address: str, log: str) -> None:
    """Sign up with the invitation that the container prints, sign in, and load a page."""
    invitation = re.search(r"/auth/register\?id=(\S+)", log)
    assert invitation, log
    person = {"username": "ada", "password": PASSWORD}
    body = {**person, "invitation": invitation[1], "email": "ada@example.org"}
    assert httpx2.post(f"{address}/api/v1/auth/signup/simple", json=body).is_success
    assert httpx2.post(f"{address}/api/v1/auth/signin/simple", json=person).is_success
    assert "<html" in httpx2.get(address).text
