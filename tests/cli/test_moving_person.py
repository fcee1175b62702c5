"""``playdock import-export --user``: what belongs to one person moves to an account of another server."""

from pathlib import Path

import pytest

from games import add_game
from playdock.metadata.game_metadata import GameMetadata
from saving import content_of, saves, uploaded
from world import Caller, World

from .conftest import is_sentence
from .moving import prompt_of


@pytest.fixture
def export(embedded_world: World) -> Path:
    """Write the export of somebody with two games, of which one is unknown elsewhere."""
    ada = embedded_world.admin("ada")
    doom, other = (add_game(embedded_world, GameMetadata(name)) for name in ("DOOM™", "Unheard Of"))
    for game in (doom, other):
        assert ada.post("/api/v1/collection/default/entry", {"id": game}).is_success
    assert ada.request("PATCH", f"/api/v1/user/play-records/{doom}", json={"note": "My note"}).is_success
    uploaded(ada, doom, b"my save")
    assert prompt_of(embedded_world).run("export", "mine", "--user", "ada").status == 0
    return embedded_world.folder / "mine"


def _library(caller: Caller) -> list[str]:
    return [each["game"]["name"] for each in caller.get("/api/v1/collection/default").json()["entries"]]


def test_what_belongs_to_a_person_moves_to_an_account(export: Path, empty_world: World) -> None:
    empty_world.admin("carl")
    bob = empty_world.person("bob")
    add_game(empty_world, GameMetadata("Doom"))
    prompt = prompt_of(empty_world)
    options = ("import-export", str(export), "--user", "bob")

    planned = prompt.run(*options, "--plan")
    assert "Game Unheard Of: no game here has this name." in planned.out
    assert _library(bob) == []
    moved = prompt.run(*options)

    assert moved.status == 0, moved.err
    assert _library(bob) == ["Doom"]
    assert [each["note"] for each in bob.get("/api/v1/user/play-records").json()] == ["My note"]
    assert [content_of(bob, each["id"]) for each in saves(bob)] == [b"my save"]
    assert "Nothing was added" in prompt.run(*options).out
    assert prompt.run("import-export", "--undo").status == 0
    assert (_library(bob), saves(bob)) == ([], [])
    assert bob.get("/api/v1/user").json()["username"] == "bob"


def test_wrong_accounts_and_exports_are_refused(export: Path, empty_world: World) -> None:
    empty_world.admin("carl")
    prompt = prompt_of(empty_world)
    assert is_sentence(prompt.run("import-export", str(export), "--user", "nobody").err)
    assert "Name the account" in prompt.run("import-export", str(export)).err
    assert prompt.run("export", "everything").status == 0
    assert "Leave out --user" in prompt.run("import-export", "everything", "--user", "carl").err


def test_an_undo_keeps_what_was_here_before(export: Path, embedded_world: World) -> None:
    caller = embedded_world.with_token(embedded_world.sign_in("ada").json()["accessToken"])
    [doom] = [each for each in caller.get("/api/v1/user/play-records").json() if each["note"]]
    run = {"id": "run-1", "game": doom["gameId"], "started": "2026-01-02T03:04:05Z", "seconds": 600}
    assert caller.post("/api/v1/user/play-sessions", {"sessions": [run]}).is_success
    prompt = prompt_of(embedded_world)
    assert prompt.run("export", "again", "--user", "ada").status == 0

    added = prompt.run("import-export", "again", "--user", "ada")
    assert "play sessions" not in added.out.partition("Added:")[2]
    prompt.run("import-export", "--undo")

    [kept] = [each for each in caller.get("/api/v1/user/play-records").json() if each["gameId"] == doom["gameId"]]
    assert kept["seconds"] == 600
