"""The image, built as its users build it, but on a base of Debian's packages, for which no registry is needed."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from architecture.source import ROOT
from processes.service import PATIENCE, free_port, until
from system_packages import program_folders

# Building takes minutes, and much longer on a busy machine.
pytestmark = [pytest.mark.heavy, pytest.mark.network, pytest.mark.timeout(3600)]

_PROGRAMS = ("mmdebstrap", "buildah", "podman", "runc")
_PACKAGES = "python3,python3-venv,ca-certificates"
MAX_BYTES = 200_000_000
USER = 10001
PASSWORD = "correct horse battery"
BUILD_TOOLS = ("cc", "gcc", "make", "git", "node", "npm", "pip", "pip3", "uv")
# Where this machine's package index and certificates are configured. The build uses the same.
_CONFIGURATION = ("/etc/pip.conf", "/etc/ssl/certs")


@dataclass
class Image:
    """The image in a storage of its own, and its size as an archive."""

    folder: Path
    archive_bytes: int = 0

    def buildah(self, *arguments: str | Path) -> str:
        return _run(_program("buildah"), *self._storage, *arguments)

    def podman(self, *arguments: str | Path) -> str:
        return _run(*self.podman_command, *arguments)

    @property
    def podman_command(self) -> list[str]:
        return [_program("podman"), "--runtime", _program("runc"), *self._storage]

    @property
    def _storage(self) -> list[str]:
        return ["--root", f"{self.folder}/storage", "--runroot", f"{self.folder}/run", "--storage-driver", "vfs"]


def _program(name: str) -> str:
    found = shutil.which(name, path=program_folders())
    if found is None or os.geteuid() != 0:
        pytest.skip(f"THE IMAGE IS NOT TESTED: it takes root and {', '.join(_PROGRAMS)}, packages of Debian.")
    return found


def _run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def _base() -> Path:
    """Return an archive of a small Debian with Python, which is kept for the next run."""
    archive = ROOT / ".cache/image-base.tar"
    if not archive.exists():
        archive.parent.mkdir(exist_ok=True)
        # The suite of this machine, whose package index is known to apt here.
        suite = re.search(r"^VERSION_CODENAME=(\w+)$", Path("/etc/os-release").read_text(), re.MULTILINE)
        assert suite
        made = archive.with_suffix(".new.tar")
        _run(_program("mmdebstrap"), "--variant=minbase", f"--include={_PACKAGES}", suite[1], made)
        made.rename(archive)
    return archive


def _write_context(folder: Path) -> None:
    """Copy what git knows, and the pages and clients that have been built."""
    listed = _run("git", "-C", ROOT, "-c", "safe.directory=*", "ls-files", "-z").split("\0")
    package = ROOT / "src/playdock"
    built = [path for each in ("web/built", "clients") for path in (package / each).rglob("*") if path.is_file()]
    for path in [*(ROOT / name for name in listed if name), *built]:
        if path.is_file():
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    for program in _PROGRAMS:
        _program(program)
    image = Image(tmp_path_factory.mktemp("image"))
    context = image.folder / "context"
    _write_context(context)
    # Building the pages takes minutes and a package registry; that they are built is the matter of other tests.
    ignored = (context / ".dockerignore").read_text().replace("src/playdock/web/built\n", "")
    (image.folder / "ignored").write_text(ignored)
    container = image.buildah("from", "scratch").strip()
    image.buildah("add", "--quiet", container, _base(), "/")
    image.buildah("commit", "--quiet", container, "base")
    mounts = [option for path in _CONFIGURATION if Path(path).exists() for option in ("--volume", f"{path}:{path}:ro")]
    options = ["--isolation", "chroot", "--format", "docker", "--build-arg", "BASE=localhost/base", *mounts]
    options += ["--ignorefile", f"{image.folder}/ignored", "--tag", "playdock", "--file", f"{context}/Containerfile"]
    image.buildah("bud", *options, context)
    archive = image.folder / "image.tar"
    image.buildah("push", "--quiet", "localhost/playdock", f"oci-archive:{archive}")
    image.archive_bytes = archive.stat().st_size
    archive.unlink()
    yield image
    image.podman("system", "reset", "--force")


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
