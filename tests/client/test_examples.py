"""The examples for programs in docs/python.md and in the library itself, against a real server."""

import re
from pathlib import Path

import pytest

from playdock_client import api
from world import Caller, World

_DOCUMENT = Path(__file__).parents[2] / "docs/python.md"
_PERMISSIONS = ("user:store:read", "user:collections:read", "user:object:read", "user:content:read")


@pytest.fixture
def program(embedded_world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Caller:
    """A program with a token, in an empty folder, and a game in the library of its owner."""
    world = embedded_world
    ada = world.admin()
    world.put("Teeworlds and Tux/1.0/bin/tux", b"one" * 1000, mode=0o755)
    game = world.import_game(ada, world.library(ada), "Teeworlds and Tux")
    assert world.import_version(ada, game, "1.0", launch="bin/tux")["success"]
    assert ada.post("/api/v1/collection/default/entry", {"id": game}).is_success
    program = world.token_of(ada, *_PERMISSIONS)
    (tmp_path / "program").mkdir()
    monkeypatch.chdir(tmp_path / "program")
    monkeypatch.setenv("PLAYDOCK", world.address)
    monkeypatch.setenv("TOKEN", program.token)
    return program


def test_the_documented_examples_run(program: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    examples = re.findall(r"```python\n(.*?)```", _DOCUMENT.read_text(), re.DOTALL)
    assert len(examples) == 6
    names: dict[str, object] = {}
    for example in examples:
        exec(compile(example, str(_DOCUMENT), "exec"), names)
    server = names["server"]
    assert isinstance(server, api.Server)
    server.close()
    printed = capsys.readouterr().out
    assert "Teeworlds and Tux () 3,000 bytes" in printed
    assert "Not confirmed yet" in printed
    assert Path("games/Teeworlds and Tux/bin/tux").read_bytes() == b"one" * 1000


def test_the_example_of_the_library_runs(
    embedded_world: World, program: Caller, capsys: pytest.CaptureFixture[str]
) -> None:
    assert api.__doc__
    example = "\n".join(re.findall(r"^(?:    (.*))?$", api.__doc__, re.MULTILINE))
    example = example.replace("https://games.example.org", embedded_world.address).replace("pdc_…", program.token)
    exec(compile(example, "api", "exec"), {})
    assert re.fullmatch(r"Downloaded [\d]+ bytes\nintact\n", capsys.readouterr().out)
