"""The real game that tests use: Teeworlds, built from Debian's packages by `make test`."""

import os
from pathlib import Path

import pytest

_GAMES = Path(__file__).parents[1] / ".cache/real-games"
_BUILD = "Build it with `.venv/bin/python tools/demo_library.py .cache/real-games --only Teeworlds`, on Debian."


def real_version() -> Path:
    """Return the folder of a real game's version in a library; skip the test if there is none."""
    found = sorted(place for place in _GAMES.glob("Teeworlds/[!.]*") if place.is_dir())
    if not found:
        assert "CI" not in os.environ, f"There is no real game to import. {_BUILD}"
        pytest.skip(f"THE WALK WITH A REAL GAME IS NOT TESTED: there is none. {_BUILD}")
    return found[-1]
