"""Versions to read: a folder with a bit of everything, and one that nobody may read."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .versions import FILES


@pytest.fixture
def version(tmp_path: Path) -> Path:
    """A folder of FILES, with an executable and a link."""
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
    """A folder that users without any rights reach too, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
