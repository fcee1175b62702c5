"""The contents of the packages: the program, its pages and its license, without files for development."""

import hashlib
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Iterable
from email.message import Message
from email.parser import Parser
from pathlib import Path, PurePosixPath

import pytest

from build_release import PAGES, ROOT
from playdock import __version__

from .conftest import Packages

pytestmark = pytest.mark.xdist_group("release")
_LICENSE = (ROOT / "LICENSE").read_text()
# Caches, files for tests and development, and files of the local machine.
_UNWANTED = re.compile(
    r"(^|/)(tests?|bench|tools|__pycache__|\.\w+_cache|node_modules|\.venv|data|demo|dist)/|\.py[co]$|\.test\.ts$|\.env$"
)


def _sdist(path: Path) -> dict[str, bytes]:
    """Return the files by path, relative to the common top folder. Links lead to files of the archive."""
    with tarfile.open(path) as archive:
        members = [member for member in archive if not member.isdir()]
        files = {member.name: archive.extractfile(member) for member in members}
        return {name.partition("/")[2]: file.read() for name, file in files.items() if file}


def _wheel(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _metadata(files: dict[str, bytes]) -> Message:
    [name] = [name for name in files if name.endswith(".dist-info/METADATA")]
    return Parser().parsestr(files[name].decode())


def _below(names: Iterable[str], folder: str) -> set[PurePosixPath]:
    return {PurePosixPath(name).relative_to(folder) for name in names if name.startswith(f"{folder}/")}


def _on_disk(folder: Path) -> set[PurePosixPath]:
    """Return the files of a folder that a package should contain."""
    files = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    return {PurePosixPath(path.as_posix()) for path in files if "__pycache__" not in path.parts}


def test_the_servers_wheel_contains_the_program_and_its_pages(packages: Packages) -> None:
    files = _wheel(packages.path("playdock-*.whl"))

    assert _below(files, "playdock") == _on_disk(ROOT / "src/playdock")
    assert files["playdock/web/built/index.html"] == PAGES.read_bytes()
    assert {name.split("/")[0] for name in files} == {"playdock", f"playdock-{__version__}.dist-info"}


def test_the_clients_wheel_contains_only_the_client(packages: Packages) -> None:
    files = _wheel(packages.path("playdock_client-*.whl"))

    assert _below(files, "playdock_client") == _on_disk(ROOT / "client/src/playdock_client")
    assert "playdock_client/py.typed" in files
    assert {name.split("/")[0] for name in files} == {"playdock_client", f"playdock_client-{__version__}.dist-info"}


def test_the_servers_sdist_contains_the_pages_and_their_sources(packages: Packages) -> None:
    files = _sdist(packages.path("playdock-*.tar.gz"))

    assert _below(files, "src/playdock") == _on_disk(ROOT / "src/playdock")
    assert {"web/package.json", "web/package-lock.json", "web/index.html", "web/src/main.ts"} <= set(files)
    assert {"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "pyproject.toml"} <= set(files)


def test_no_package_has_tests_or_caches(packages: Packages) -> None:
    names = [
        *(name for pattern in ("playdock-*.whl", "playdock_client-*.whl") for name in _wheel(packages.path(pattern))),
        *(name for pattern in ("playdock-*.gz", "playdock_client-*.gz") for name in _sdist(packages.path(pattern))),
    ]

    assert len(names) > 500
    assert [name for name in names if _UNWANTED.search(name)] == []


@pytest.mark.parametrize("package", ["playdock", "playdock_client"])
def test_every_package_contains_and_declares_the_license(packages: Packages, package: str) -> None:
    wheel, sdist = _wheel(packages.path(f"{package}-*.whl")), _sdist(packages.path(f"{package}-*.tar.gz"))
    metadata = _metadata(wheel)

    assert metadata["License-Expression"] == "AGPL-3.0-or-later"
    assert wheel[f"{package}-{__version__}.dist-info/licenses/LICENSE"].decode() == _LICENSE
    assert sdist["LICENSE"].decode() == _LICENSE


@pytest.mark.parametrize("package", ["playdock", "playdock_client"])
def test_every_package_has_a_description_without_urls_or_email_addresses(packages: Packages, package: str) -> None:
    metadata = _metadata(_wheel(packages.path(f"{package}-*.whl")))

    assert metadata["Summary"]
    assert len(metadata["Keywords"].split(",")) >= 5
    assert len(metadata.get_all("Classifier", [])) >= 5
    assert (metadata["Project-URL"], metadata["Home-page"], metadata["Author-email"]) == (None, None, None)


def test_the_checksums_are_those_of_all_packages(packages: Packages) -> None:
    lines = packages.checksums.read_text().splitlines()
    listed = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    present = [*packages.folder.glob("*.whl"), *packages.folder.glob("*.tar.gz")]

    assert len(present) == 4
    assert listed == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in present}


def test_sha256sum_accepts_the_checksums(packages: Packages) -> None:
    command = ["sha256sum", "--check", "--strict", packages.checksums.name]
    checked = subprocess.run(command, cwd=packages.folder, capture_output=True, text=True, check=False)

    assert checked.returncode == 0, checked.stdout + checked.stderr
