"""A real game, built from Debian's packages by `make test`, and a service that has never been started."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import Databases
from processes.service import Service

_GAMES = Path(__file__).parents[2] / ".cache/real-games"
_BUILD = "Build it with `.venv/bin/python tools/demo_library.py .cache/real-games --only Teeworlds`, on Debian."


@pytest.fixture
def version() -> Path:
    """The folder of a real game's version, below that of the game, in a library."""
    found = sorted(place for place in _GAMES.glob("Teeworlds/[!.]*") if place.is_dir())
    if not found:
        assert "CI" not in os.environ, f"There is no real game to import. {_BUILD}"
        pytest.skip(f"THE WALK WITH A REAL GAME IS NOT TESTED: there is none. {_BUILD}")
    return found[-1]


@pytest.fixture
def service(databases: Databases, tmp_path: Path) -> Iterator[Service]:
    (tmp_path / "data").mkdir()
    service = Service(tmp_path, databases.blank(tmp_path / "data"))
    yield service
    service.end()
