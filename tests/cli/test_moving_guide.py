"""The commands of docs/moving-in.md, as they are printed there, on servers whose folders are elsewhere."""

import io
import re
import shlex
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PIL import Image

from other_servers import drop, gamevault, romm
from world import World

from .moving import prompt_of

_GUIDE = Path(__file__).parents[2] / "docs" / "moving-in.md"


def _commands(program: str) -> list[list[str]]:
    """Return the words of the commands of the guide that begin with some words."""
    text = _GUIDE.read_text().replace("\\\n", " ")
    found = [shlex.split(line)[1:] for line in text.splitlines() if line.strip().startswith(program)]
    assert found, program
    return found


def _with_places(words: list[str], places: dict[str, str]) -> list[str]:
    """Replace what differs on this machine: the longest places first, since some are within others."""
    for place in sorted(places, key=len, reverse=True):
        words = [re.sub(re.escape(place) + r"(?![\w/])", places[place], word) for word in words]
    assert not any("/srv/" in word.partition("=")[2] or word.startswith("/srv/") for word in words), words
    return words


@pytest.fixture
def servers(embedded_world: World, address: str) -> Iterator[dict[str, dict[str, str]]]:
    """One server of each kind, and where its places of the guide are on this machine, by its kind."""
    folder = embedded_world.folder
    with closing(drop.household(address, release="0.4")) as household:
        gamevault.household(f"sqlite:///{folder}/gamevault.sqlite")
        romm.household(f"sqlite:///{folder}/romm.sqlite")
        for kind, module in (("drop", drop), ("gamevault", gamevault), ("romm", romm)):
            module.library(folder / kind)
        cover = folder / "media/14"
        cover.parent.mkdir()
        drawn = io.BytesIO()
        Image.new("RGB", (600, 900), (120, 40, 200)).save(drawn, "PNG")
        cover.write_bytes(drawn.getvalue())
        (folder / "drop-objects").mkdir()
        (folder / "resources").mkdir()
        yield {
            "drop": {
                "postgresql://drop:secret@localhost:5432/drop": household.address,
                "/srv/drop/objects": f"{folder}/drop-objects",
                "/srv/games": f"{folder}/drop",
            },
            "gamevault": {
                "/srv/gamevault/db/database.sqlite": f"{folder}/gamevault.sqlite",
                "/srv/games": f"{folder}/gamevault",
                "/srv/gamevault/media": f"{folder}/media",
                "/srv/gamevault/savefiles": str(gamevault.saved(folder / "savefiles")),
            },
            "romm": {
                "mariadb://romm:secret@localhost:3306/romm": f"sqlite:///{folder}/romm.sqlite",
                "/srv/romm/library": f"{folder}/romm",
                "/srv/romm/resources": f"{folder}/resources",
                "/srv/romm/assets": str(romm.saved(folder / "assets")),
            },
        }


@pytest.mark.parametrize(("kind", "games"), [("drop", 2), ("gamevault", 2), ("romm", 1)])
def test_the_commands_of_the_guide_move_a_server(
    embedded_world: World, servers: dict[str, dict[str, str]], kind: str, games: int
) -> None:
    prompt = prompt_of(embedded_world)
    commands = _commands(f"playdock migrate {kind}")
    assert any("--plan" in words for words in commands)

    for words in commands:
        ended = prompt.run(*_with_places(words, servers[kind]))
        assert ended.status == 0, ended.err
        if "--plan" not in words:
            assert f"games: {games}" in ended.out


def test_the_commands_of_the_guide_move_to_another_server(embedded_world: World) -> None:
    world, prompt = embedded_world, prompt_of(embedded_world)
    world.admin("ada")
    places = {"/srv/playdock-export": f"{world.folder}/export", "/srv/games": f"{world.games}"}
    (export,) = _commands("playdock export /srv")
    assert prompt.run(*_with_places(export, places)).status == 0
    for words in _commands("playdock import-export /srv"):
        ended = prompt.run(*_with_places(words, places))
        assert ended.status == 0, ended.err
    (person,) = _commands("playdock import-export FOLDER")
    assert prompt.run("export", f"{world.folder}/ada", "--user", "ada").status == 0
    assert prompt.run(*_with_places(person, {"FOLDER": f"{world.folder}/ada"})).status == 0


def test_images_and_saves_are_added_by_a_later_run(embedded_world: World, servers: dict[str, dict[str, str]]) -> None:
    world, prompt, places = embedded_world, prompt_of(embedded_world), servers["gamevault"]
    plan, full = (_with_places(words, places) for words in _commands("playdock migrate gamevault"))
    assert prompt.run(*(word for word in plan if word != "--plan")).status == 0

    again = prompt.run(*full)

    assert "images: 1" in again.out
    assert "saved games: 2" in again.out
    assert "Nothing was added" in prompt.run(*full).out
    admin = world.admin("root")
    game = next(each for each in admin.get("/api/v1/store").json()["games"] if each["name"] == "Half-Life")
    assert game["cover"], game
    # What an administrator has deleted does not come back.
    removed = admin.delete("/api/v1/admin/game/image", {"gameId": game["id"], "imageId": game["cover"]["id"]})
    assert removed.is_success, removed.text
    assert "Nothing was added" in prompt.run(*full).out
