"""The version and the license are consistent in all metadata."""

import hashlib
import json
import re
import tomllib
from typing import Any

import playdock
import playdock_client
from build_release import ROOT

_LICENSE = "AGPL-3.0-or-later"
_PROJECTS = ("pyproject.toml", "client/pyproject.toml")
# The text of the license as published by the Free Software Foundation, with https URLs.
_LICENSE_SHA256 = "8486a10c4393cee1c25392769ddd3b2d6c242d6ec7928e1414efff7dfb2f07ef"


def _project(path: str) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / path).read_text())["project"]
    return found


def _package() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return package.json of the pages, and its entry in the lock file."""
    lock = json.loads((ROOT / "web/package-lock.json").read_text())
    return json.loads((ROOT / "web/package.json").read_text()), lock["packages"][""]


def test_server_client_and_pages_have_the_version_of_the_changelog() -> None:
    released = re.search(r"^## (\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    package, locked = _package()

    assert released
    assert {
        playdock.__version__,
        playdock_client.__version__,
        package["version"],
        locked["version"],
    } == {released[1]}


def test_the_packages_read_their_version_from_the_code() -> None:
    assert [_project(path)["dynamic"] for path in _PROJECTS] == [["version"]] * 2


def test_all_metadata_name_the_same_license() -> None:
    package, locked = _package()

    assert [_project(path)["license"] for path in _PROJECTS] == [_LICENSE] * 2
    assert [package["license"], locked["license"]] == [_LICENSE] * 2
    assert all(f"`{_LICENSE}`" in (ROOT / page).read_text() for page in ("README.md", "client/README.md"))


def test_the_license_is_complete_and_unchanged() -> None:
    texts = [(ROOT / path).read_bytes() for path in ("LICENSE", "client/LICENSE")]

    assert [hashlib.sha256(text).hexdigest() for text in texts] == [_LICENSE_SHA256] * 2


def test_the_security_policy_supports_the_version() -> None:
    minor = playdock.__version__.rpartition(".")[0]

    assert f"| {minor} | yes |" in (ROOT / "SECURITY.md").read_text()
