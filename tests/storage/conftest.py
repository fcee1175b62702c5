"""Versions to read: folders and archives with a bit of everything, and one that nobody may read."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

NOBODY = 65534
FILES = {
    "game.exe": Random(1).randbytes(3_000_000),
    "data/empty": b"",
    "data/levels/1.pak": Random(2).randbytes(70_000),
    "data/zeros.bin": bytes(1_500_000),
    "read me.txt": b"Have fun.\n",
    "\u00fc.txt": b"umlaut",
}


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


@contextmanager
def without_rights() -> Iterator[None]:
    """Be a user who may nothing, where the tests run as root, who may everything."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
