"""New versions of imported games: where they are listed, and importing them all at once."""

from datetime import timedelta
from typing import Any

import pytest

from plans import PROGRAM
from playdock.models import Task
from playdock.stored import version_subject
from world import Caller, World

FOLDERS = "/api/v1/admin/games/folders"
NEW = "/api/v1/admin/import/version/new"


def new_versions(admin: Caller) -> dict[str, list[str]]:
    return {each["game"]["name"]: each["unimportedVersions"] for each in admin.get(FOLDERS).json()}


def import_all(world: World, admin: Caller) -> dict[str, Any]:
    """Import the new versions of all games, wait for all of them, and return the task that started their imports."""
    started = admin.post(NEW)
    assert started.status_code == 202, started.text
    task = world.finish(admin, started.json()["taskId"])
    for each in admin.get("/api/v1/admin/task").json()["runningTasks"]:
        world.finish(admin, each["id"])
    return task


def versions(admin: Caller, game: str) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in admin.get(f"/api/v1/admin/game/{game}").json()["versions"]}


def put(world: World, *paths: str) -> None:
    for path in paths:
        world.put(path, PROGRAM, mode=0o755)


def test_new_versions_of_all_games_are_imported_with_the_commands_of_the_newest_one(world: World) -> None:
    put(world, "Doom/1.0/bin/start", "Doom/1.0/doom", "Quake/1.0/quake", "Hades/1.0/hades")
    admin = world.admin()
    library = world.library(admin)
    doom, quake, hades = (world.import_game(admin, library, name) for name in ("Doom", "Quake", "Hades"))
    assert world.import_version(admin, doom, "1.0", launch="bin/start", launchArgs="-fast")["success"]
    assert world.import_version(admin, quake, "1.0", launch="quake")["success"]
    put(world, "Doom/1.1/bin/start", "Doom/1.1/doom", "Doom/1.2/doom")
    world.put("Quake/2.0/readme.txt")
    assert new_versions(admin) == {"Doom": ["1.1", "1.2"], "Hades": ["1.0"], "Quake": ["2.0"]}

    task = import_all(world, admin)

    assert task["success"]
    assert any("Quake 2.0" in line for line in task["log"])
    assert new_versions(admin) == {"Quake": ["2.0"]}
    found = versions(admin, doom)
    assert (found["1.1"]["launch"], found["1.1"]["launchArgs"]) == ("bin/start", "-fast")
    assert (found["1.2"]["launch"], found["1.2"]["launchArgs"]) == ("doom", "")
    assert versions(admin, hades)["1.0"]["launch"] == "hades"


def test_the_task_fails_with_the_reason_if_no_version_can_be_imported(world: World) -> None:
    put(world, "Doom/1.0/doom", "Quake/1.0/quake")
    admin = world.admin()
    library = world.library(admin)
    for name in ("Doom", "Quake"):
        game = world.import_game(admin, library, name)
        assert world.import_version(admin, game, "1.0", launch=name.lower())["success"]
    world.put("Doom/1.1/readme.txt")
    task = import_all(world, admin)
    assert not task["success"]
    assert "Doom 1.1" in task["error"]["description"]
    assert "program" in task["error"]["description"]
    world.put("Quake/1.1/readme.txt")
    task = import_all(world, admin)
    assert not task["success"]
    assert all(any(each in line for line in task["log"]) for each in ("Doom 1.1", "Quake 1.1"))
    assert "log" in task["error"]["description"]


def test_cancelling_cancels_the_imports_that_were_started(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    put(world, "Doom/1.0/doom", "Quake/1.0/quake")
    for game in ("Doom", "Quake"):
        with (world.games / game / "1.0/large").open("wb") as file:
            file.truncate(6 * 1024**3)
    admin = world.admin()
    library = world.library(admin)
    for name in ("Doom", "Quake"):
        world.import_game(admin, library, name)
    imports = world.services.version_imports
    begin_new = type(imports).begin_new
    started: list[str] = []

    def begin_and_cancel(self: Any, game_id: str, version: str) -> str:
        started.append(begin_new(self, game_id, version))
        for task in admin.get("/api/v1/admin/task").json()["runningTasks"]:
            if task["taskGroup"] == "import:versions":
                assert admin.delete(f"/api/v1/admin/task/{task['id']}").status_code == 204
        return started[-1]

    monkeypatch.setattr(type(imports), "begin_new", begin_and_cancel)

    assert import_all(world, admin)["cancelled"]

    assert started
    assert all(world.finish(admin, each)["cancelled"] for each in started)
    assert new_versions(admin) == {"Doom": ["1.0"], "Quake": ["1.0"]}


def test_empty_folders_and_versions_that_are_being_imported_are_not_offered(world: World) -> None:
    put(world, "Doom/1.0/doom", "Doom/1.1/doom", "Doom/1.2/doom")
    (world.games / "Doom/2.0/empty").mkdir(parents=True)
    admin = world.admin()
    game = world.import_game(admin, world.library(admin), "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    with world.services.db.write() as session:
        session.add(
            Task(
                id="1",
                task_type="import:version",
                name="Import",
                subject=version_subject(game, "1.1"),
                queue="default",
                acls=[],
                arguments={},
                created=world.clock(),
                due=world.clock() + timedelta(days=1),
            )
        )
    assert new_versions(admin) == {"Doom": ["1.2"]}
