"""What a machine may lack: a test that needs it is skipped there, and fails in continuous integration."""

import os
import shutil
from typing import NoReturn

import pytest

from system_packages import program_folders


def skip(reason: str) -> NoReturn:
    """Skip the test, which in continuous integration is an error."""
    assert "CI" not in os.environ, reason
    pytest.skip(reason)


def require(*programs: str) -> None:
    """Skip the test unless these programs are installed."""
    missing = [each for each in programs if shutil.which(each, path=program_folders()) is None]
    if missing:
        skip(f"Not tested without {', '.join(missing)}: see tools/system_packages.py.")
