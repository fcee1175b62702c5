"""Downloads with other versions of the server library: without zero-copy sending, and with the newest uvicorn."""

import os
import subprocess
import sys
from importlib.metadata import distributions, version
from pathlib import Path

import pytest
from packaging.version import Version

_TESTS = Path(__file__).parents[1]
_SERVING = (
    "features/test_serving.py",
    "features/test_serving_changes.py",
    "features/test_limits.py",
)
# Bodies of all kinds, ranges, conditions, errors, slow clients, disconnects, and limits. Tests that keep files open
# between two blocks are excluded, because plain ASGI does not keep them open.
_CHOSEN = (
    "end_to_end",
    "any_range",
    "range_holds_only",
    "state_than_the_wanted",
    "archive_holds",
    "compressed",
    "without_the_right",
    "cuts_the_connection",
    "rewritten",
    "slow_reader",
    "many_read_nothing",
    "malformed_request",
    "next_request",
    "running_transfers",
    "too_many_at_once",
    "rate_is_kept",
)


def run_tests(*options: str, packages: Path | None = None) -> None:
    """Run the selected tests in a child process, optionally with other packages."""
    files = [str(_TESTS / name) for name in _SERVING]
    environment = {**os.environ, "PYTHONPATH": str(packages)} if packages else dict(os.environ)
    chosen = ["-n", "0", "--database=sqlite", "-q", "-k", " or ".join(_CHOSEN)]
    command = [sys.executable, "-m", "pytest", *chosen, *options, *files]
    done = subprocess.run(command, cwd=_TESTS.parent, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-10_000:]


@pytest.mark.timeout(900)
def test_downloads_work_without_zero_copy_sending() -> None:
    run_tests("--plain-asgi")


@pytest.mark.network
@pytest.mark.timeout(900)
def test_downloads_work_with_the_newest_uvicorn(tmp_path: Path) -> None:
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(tmp_path), "uvicorn"]
    installed = subprocess.run(install, capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"No package registry gave the newest uvicorn: {installed.stderr.strip()[-500:]}")
    newest = next(found.version for found in distributions(path=[str(tmp_path)]) if found.name == "uvicorn")
    if Version(newest) <= Version(version("uvicorn")):
        pytest.skip(f"uvicorn {version('uvicorn')} is the newest version.")
    run_tests(packages=tmp_path)
