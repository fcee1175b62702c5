"""The packages of a release, which are built once."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from build_release import CHECKSUMS, PAGES, build
from release.bare_root import UNIX, make_bare_root
from release.client_systems import clients, offer, wine
from release.lacking import require, skip

__all__ = ["clients", "offer", "wine"]


@dataclass(frozen=True, slots=True)
class Packages:
    """A folder with the packages of a release."""

    folder: Path

    def path(self, pattern: str) -> Path:
        """Return the only package that matches."""
        [found] = self.folder.glob(pattern)
        return found

    @property
    def checksums(self) -> Path:
        return self.folder / CHECKSUMS


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    if not PAGES.exists():
        skip("The pages have not been built: run `make install` with Node.js.")
    folder = tmp_path_factory.mktemp("dist")
    build(folder)
    return Packages(folder)


@pytest.fixture
def bare_root(tmp_path: Path) -> Path:
    """A root folder with a shell and a few Unix programs, and without Python."""
    if os.geteuid() != 0:
        pytest.skip("The client for Linux is tested in a bare root folder only as root, who can use chroot.")
    require("chroot", "unshare", *UNIX)
    root = tmp_path / "root"
    make_bare_root(root)
    return root
