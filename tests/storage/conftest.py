"""Versions to read: a folder with all kinds of files, and one for tests of permissions."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .versions import FILES


@pytest.fixture
def version(tmp_path: Path) -> Path:
    """A folder with FILES, an executable and a link."""
    root = tmp_path / "1.0"
    for path, data in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
        (root / path).chmod(0o644)
    (root / "game.exe").chmod(0o755)
    (root / "data/link").symlink_to("../game.exe")
    return root


@pytest.fixture
def readable() -> Iterator[Path]:
    """A folder that unprivileged users can access, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
