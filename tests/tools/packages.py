"""Debian packages created for tests that unpack them."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

needs_dpkg = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="Debian's dpkg-deb is not here: run on Debian")


def make_package(
    folder: Path, *, name: str, files: Mapping[str, str], links: Mapping[str, str] | None = None, version: str = "1.0-1"
) -> Path:
    """Build a package of files (path to text; executable below `games`) and links (path to target) in `folder`."""
    tree = folder / f"{name}-tree"
    control = f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: T <t@t>\nDescription: t\n"
    for path, text in {**files, "DEBIAN/control": control}.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
        (tree / path).chmod(0o755 if "/games/" in path else 0o644)
    for path, target in (links or {}).items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).symlink_to(target)
    for place, _, _ in os.walk(tree):
        Path(place).chmod(0o755)  # regardless of the umask, since dpkg-deb requires it
    deb = folder / f"{name}_{version.replace(':', '%3a')}_all.deb"
    subprocess.run(("dpkg-deb", "--root-owner-group", "--build", tree, deb), check=True, capture_output=True)
    return deb
