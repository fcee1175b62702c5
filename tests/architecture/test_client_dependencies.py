"""What the client needs: few libraries, because players install all of them."""

import re
import tomllib

from .source import ROOT

_NEEDED = {"blake3", "msgspec", "platformdirs", "rich", "shtab", "urllib3", "zstandard"}


def test_the_client_needs_few_libraries_and_a_window_of_its_own_is_an_extra() -> None:
    project = tomllib.loads((ROOT / "client/pyproject.toml").read_text())["project"]
    assert {re.split("[>=<]", each)[0] for each in project["dependencies"]} == _NEEDED
    assert list(project["optional-dependencies"]) == ["window"]
