"""The image, built as its users build it, but on a base of Debian's packages, for which no registry is needed."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from architecture.source import ROOT
from system_packages import program_folders

PROGRAMS = ("mmdebstrap", "buildah", "podman", "runc")
# That of the base in Containerfile. Its Python is another version than that of the base.
RELEASE = "trixie"
PACKAGES = ("python3", "python3-venv", "ca-certificates")
# Where this machine's package index and certificates are configured. The build uses the same.
_CONFIGURATION = ("/etc/pip.conf", "/etc/ssl/certs")


@dataclass
class Image:
    """The image in a storage of its own, and its size as an archive."""

    folder: Path
    archive_bytes: int = 0

    def buildah(self, *arguments: str | Path) -> str:
        return run(program("buildah"), *self._storage, *arguments)

    def podman(self, *arguments: str | Path) -> str:
        return run(*self.podman_command, *arguments)

    def write(self, archive: Path) -> None:
        """Write it to a file that Docker loads."""
        self.buildah("push", "--quiet", "localhost/playdock", f"docker-archive:{archive}:playdock")

    @property
    def podman_command(self) -> list[str]:
        return [program("podman"), "--runtime", program("runc"), *self._storage]

    @property
    def _storage(self) -> list[str]:
        return ["--root", f"{self.folder}/storage", "--runroot", f"{self.folder}/run", "--storage-driver", "vfs"]


def program(name: str) -> str:
    found = shutil.which(name, path=program_folders())
    if found is None or os.geteuid() != 0:
        pytest.skip(f"CONTAINERS ARE NOT TESTED: it takes root and {name}, a program of a package of Debian.")
    return found


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def small_debian(name: str, *packages: str, release: str = RELEASE, variant: str = "minbase") -> Path:
    """Return an archive of a small Debian with these packages, which is kept for the next run."""
    archive = ROOT / f".cache/{name}-{release}.tar"
    if not archive.exists():
        archive.parent.mkdir(exist_ok=True)
        made = archive.with_suffix(f".{os.getpid()}.tar")
        run(program("mmdebstrap"), f"--variant={variant}", f"--include={','.join(packages)}", release, made)
        made.rename(archive)
    return archive


def write_context(folder: Path) -> None:
    """Copy what git knows, and the pages and clients that have been built."""
    listed = run("git", "-C", ROOT, "-c", "safe.directory=*", "ls-files", "-z").split("\0")
    package = ROOT / "src/playdock"
    built = [path for each in ("web/built", "clients") for path in (package / each).rglob("*") if path.is_file()]
    for path in [*(ROOT / name for name in listed if name), *built]:
        if path.is_file():
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)


@contextmanager
def built_image(folder: Path, base: Path) -> Iterator[Image]:
    """Build the image in a folder on the archive of a base, and delete its storage at the end."""
    for each in PROGRAMS:
        program(each)
    image = Image(folder)
    context = image.folder / "context"
    write_context(context)
    # Building the pages takes minutes and a package registry; that they are built is the matter of other tests.
    ignored = (context / ".dockerignore").read_text().replace("src/playdock/web/built\n", "")
    (image.folder / "ignored").write_text(ignored)
    container = image.buildah("from", "scratch").strip()
    image.buildah("add", "--quiet", container, base, "/")
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
