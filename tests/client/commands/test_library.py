"""The library, as its documents show it."""

import inspect
import re
import textwrap
from pathlib import Path

import pytest

from playdock_client import api

from .conftest import ServerWithGames

README = Path(__file__).parents[3] / "client" / "README.md"
FILES = {"doom": b"#!/bin/sh\n", "data/doom.wad": b"wad" * 1000}


def example(text: str) -> str:
    """Return the Python of a document."""
    found = re.search(r"^    from pathlib import Path\n(?:(?:    .*)?\n)*", text, re.MULTILINE)
    assert found
    return textwrap.dedent(found[0])


@pytest.mark.parametrize("text", [inspect.getsource(api), README.read_text()], ids=["api", "readme"])
def test_the_example_installs_a_game(
    text: str, shop: ServerWithGames, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.release("1.0", FILES)
    monkeypatch.chdir(tmp_path)
    code = (
        example(text)
        .replace("https://games.example.org", shop.address)
        .replace("Teeworlds", "doom")
        .replace("teeworlds", "doom")
    )
    code = re.sub(r', (?:token="pdc_…"|token)\)', f', "{shop.program.token}")', code)

    exec(compile(code, "example", "exec"), {})

    (folder,) = (file.parent for file in tmp_path.rglob(".playdock"))
    assert (folder / "data" / "doom.wad").read_bytes() == FILES["data/doom.wad"]
