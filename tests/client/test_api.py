"""The library for other programs."""

import inspect
import re
from pathlib import Path

import pytest

import playdock_client
import playdock_client.errors
from playdock_client import api

README = Path(__file__).parents[2] / "client" / "README.md"


def test_everything_exported_has_a_docstring() -> None:
    silent = [name for name in api.__all__ if not inspect.getdoc(getattr(api, name))]

    assert silent == []


def test_every_error_is_exported() -> None:
    known = {error for error in vars(playdock_client.errors).values() if inspect.isclass(error)}

    assert {error.__name__ for error in known if issubclass(error, api.ClientError)} <= set(api.__all__)


@pytest.mark.parametrize("text", [api.__doc__ or "", README.read_text()])
def test_examples_use_only_exported_names(text: str) -> None:
    named = set(re.findall(r"\bapi\.([A-Za-z_]+)", text))

    assert named
    assert named <= set(api.__all__)


def test_the_client_imports_nothing_from_the_server() -> None:
    sources = Path(playdock_client.__path__[0]).rglob("*.py")

    assert not [
        file.name for file in sources if re.search(r"^\s*(?:from|import) playdock\b", file.read_text(), re.MULTILINE)
    ]
