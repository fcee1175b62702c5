"""Files of managed libraries: renaming, moving, deleting into the trash, restoring and erasing."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from devices import device
from library_files import TRASH, content, delete_game, done, doom, files_of, hidden, restore, versions_of, write
from playdock.models import FileChange
from playdock.stored import encode
from playdock.stored_file_changes import StoredFileChange
from uploads import SOURCES, managed_library
from world import World, at_once

pytestmark = pytest.mark.both_databases


def test_a_game_is_deleted_with_its_files_and_restored_as_it_was(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0", "1.1")
    versions = versions_of(admin, game)
    laptop = device(world, admin)
    installed = {"installations": [{"game": game, "version": versions["1.0"]}]}
    assert laptop.request("PUT", "/api/v1/client/installations", json=installed).status_code == 204
    collection = admin.post("/api/v1/collection", {"name": "Best"}).json()["id"]
    assert admin.post(f"/api/v1/collection/{collection}/entry", {"id": game}).is_success
    before = admin.get(f"/api/v1/admin/game/{game}").json()
    sent, files = content(admin, versions["1.1"]), files_of(library)

    refused = delete_game(admin, game, "doom")
    assert done(world, admin, delete_game(admin, game))["success"]
    [item] = admin.get(TRASH).json()
    while_deleted = (admin.get(f"/api/v1/admin/game/{game}").status_code, files_of(library), world.unimported(admin))
    assert done(world, admin, restore(admin, item["id"]))["success"]

    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "name")
    assert while_deleted == (404, [], [])
    assert (item["gameName"], item["versionName"], item["size"]) == ("Doom", None, 2 * (9 + 3000))
    assert admin.get(f"/api/v1/admin/game/{game}").json() == before
    assert (files_of(library), hidden(library), admin.get(TRASH).json()) == (files, [], [])
    assert content(admin, versions["1.1"]) == sent
    [entry] = admin.get(f"/api/v1/collection/{collection}").json()["entries"]
    assert entry["gameId"] == game
    [shown] = admin.get("/api/v1/user/installations").json()
    assert shown["installations"][0]["version"]["id"] == versions["1.0"]
    found = admin.get("/api/v1/store", params={"q": "doom"}).json()["games"]
    assert [each["id"] for each in found] == [game]


def test_a_version_is_deleted_with_its_files_and_gets_its_place_back(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0", "1.1", "1.2")
    versions = versions_of(admin, game)
    article = {"title": "What is new", "description": "", "content": "More", "versionId": versions["1.1"]}
    assert admin.post("/api/v1/admin/news", article).is_success

    path = f"/api/v1/admin/version/{versions['1.1']}/files"
    refused = admin.delete(path, {"name": "1.0"})
    assert done(world, admin, admin.delete(path, {"name": "1.1"}))["success"]
    gone = (files_of(library), sorted(versions_of(admin, game)))
    write(library, "Doom/1.3/doom")
    assert world.import_version(admin, game, "1.3", launch="doom")["success"]
    [item] = admin.get(TRASH).json()
    assert done(world, admin, restore(admin, item["id"]))["success"]

    assert refused.status_code == 400
    assert gone == (["Doom/1.0/doom", "Doom/1.0/doom.wad", "Doom/1.2/doom", "Doom/1.2/doom.wad"], ["1.0", "1.2"])
    assert list(versions_of(admin, game)) == ["1.3", "1.2", "1.1", "1.0"]
    assert versions_of(admin, game)["1.1"] == versions["1.1"]
    assert content(admin, versions["1.1"])[0] == 200
    assert (hidden(library), world.unimported(admin)) == ([], [])


def test_a_base_is_not_deleted_and_a_delta_not_restored_without_it(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    write(library, "Doom/1.1/more.wad")
    assert world.import_version(admin, game, "1.1", delta=True, launch="")["success"]
    ids = versions_of(admin, game)

    def delete(name: str) -> httpx2.Response:
        return admin.delete(f"/api/v1/admin/version/{ids[name]}/files", {"name": name})

    def restored(name: str) -> dict[str, Any]:
        [item] = [each for each in admin.get(TRASH).json() if each["versionName"] == name]
        return done(world, admin, restore(admin, item["id"]))

    refused = delete("1.0")
    assert [done(world, admin, delete(name))["success"] for name in ("1.1", "1.0")] == [True, True]
    too_early = restored("1.1")
    assert [restored(name)["success"] for name in ("1.0", "1.1")] == [True, True]

    assert refused.json()["type"] == "version-is-base"
    assert (too_early["success"], too_early["error"]["code"]) == (False, "base-deleted")
    assert versions_of(admin, game) == ids
    assert hidden(library) == []


def test_a_game_and_a_version_are_renamed_and_remain_the_same(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    [(_, version)] = versions_of(admin, game).items()
    sent = content(admin, version)

    moved = done(world, admin, admin.patch(f"/api/v1/admin/game/{game}/files", {"path": "Doom (1993)"}))
    renamed = done(world, admin, admin.patch(f"/api/v1/admin/version/{version}/files", {"name": "1.0 fixed"}))

    assert (moved["success"], renamed["success"]) == (True, True)
    assert files_of(library) == ["Doom (1993)/1.0 fixed/doom", "Doom (1993)/1.0 fixed/doom.wad"]
    assert versions_of(admin, game) == {"1.0 fixed": version}
    assert content(admin, version) == sent
    assert world.unimported(admin) == []
    assert admin.get("/api/v1/admin/damage").json() == []


def test_a_game_moves_to_another_library(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    other = managed_library(admin)
    [(_, version)] = versions_of(admin, game).items()
    sent, files = content(admin, version), files_of(library)

    change = {"library": other["id"], "path": "Doom I"}
    assert done(world, admin, admin.patch(f"/api/v1/admin/game/{game}/files", change))["success"]

    assert (files_of(library), files_of(other)) == ([], [each.replace("Doom/", "Doom I/") for each in files])
    assert content(admin, version) == sent
    assert admin.delete(SOURCES, {"id": library["id"]}).status_code == 204


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"path": "../x"}, 400, "path"),
    ({"path": "a/b"}, 400, "path"),
    ({"path": ".playdock"}, 400, "path"),
    ({"path": "Doom.zip"}, 400, "path"),
    ({"path": "Doom"}, 400, ""),
    ({}, 400, ""),
    ({"path": "Quake"}, 409, "place-occupied"),
    ({"library": "unknown"}, 404, "library-unknown"),
]


def test_files_are_moved_only_to_where_nothing_is(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    write(library, "Quake/1.0/quake")
    [(_, version)] = versions_of(admin, game).items()
    files = files_of(library)

    for change, status, problem in REFUSED:
        answer = admin.patch(f"/api/v1/admin/game/{game}/files", change)
        told = answer.json()["errors"][0]["field"] if status == 400 else answer.json()["type"]
        assert (answer.status_code, told) == (status, problem), change
    archive = admin.patch(f"/api/v1/admin/version/{version}/files", {"name": "1.0.zip"})

    assert archive.json()["errors"][0]["field"] == "name"
    assert files_of(library) == files


def test_files_of_a_library_that_is_not_managed_are_never_changed(world: World) -> None:
    admin = world.admin()
    world.put("Doom/1.0/doom")
    game = world.import_game(admin, world.library(admin), "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    [(_, version)] = versions_of(admin, game).items()
    other = managed_library(admin)

    answers = [
        delete_game(admin, game),
        admin.delete(f"/api/v1/admin/version/{version}/files", {"name": "1.0"}),
        admin.patch(f"/api/v1/admin/game/{game}/files", {"path": "Other"}),
        admin.patch(f"/api/v1/admin/game/{game}/files", {"library": other["id"]}),
        admin.patch(f"/api/v1/admin/version/{version}/files", {"name": "2.0"}),
    ]

    assert {(answer.status_code, answer.json()["type"]) for answer in answers} == {(409, "library-not-managed")}
    assert sorted(str(path.relative_to(world.games)) for path in world.games.rglob("*")) == [
        "Doom",
        "Doom/1.0",
        "Doom/1.0/doom",
    ]


def test_what_is_in_the_trash_expires_or_is_erased_with_its_images(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0", "1.1")
    path = f"/api/v1/admin/version/{versions_of(admin, game)['1.0']}/files"
    assert done(world, admin, admin.delete(path, {"name": "1.0"}))["success"]
    [item] = admin.get(TRASH).json()
    in_use = [admin.delete(SOURCES, {"id": library["id"]}), admin.post(f"{SOURCES}/{library['id']}/removal")]

    assert done(world, admin, admin.delete(TRASH, {"items": [item["id"], "unknown"]}))["success"]
    erased = (hidden(library), admin.get(TRASH).json())
    assert done(world, admin, delete_game(admin, game))["success"]
    counts = []
    for days in (29, 2):
        world.clock.advance(days=days)
        admin = world.with_token(world.sign_in("ada").json()["accessToken"])
        cleaning = admin.post("/api/v1/admin/task", {"taskGroup": "cleanup:trash"}).json()
        assert world.finish(admin, cleaning["id"])["success"]
        counts.append(len(admin.get(TRASH).json()))

    assert [answer.json()["type"] for answer in in_use] == ["library-in-use", "trash-not-empty"]
    assert erased == ([], [])
    assert (counts, hidden(library)) == ([1, 0], [])
    assert admin.delete(SOURCES, {"id": library["id"]}).status_code == 204


def test_how_long_deleted_games_are_kept_can_be_changed_without_a_restart(world: World) -> None:
    admin = world.admin()
    _, game = doom(world, admin, "1.0")
    assert done(world, admin, delete_game(admin, game))["success"]
    [before] = admin.get(TRASH).json()

    assert admin.patch("/api/v1/admin/settings", {"values": {"TRASH_DAYS": "3"}}).is_success
    [after] = admin.get(TRASH).json()

    expires = [datetime.fromisoformat(each["expires"]) for each in (before, after)]
    assert expires[0] - expires[1] == timedelta(days=27)


def test_of_callers_that_delete_the_same_game_one_succeeds(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")

    answers = at_once([lambda: delete_game(admin, game) for _ in range(4)])

    started = [answer for answer in answers if answer.status_code == 202]
    assert done(world, admin, started[0])["success"]
    types = {answer.json()["type"] for answer in answers if answer.status_code != 202}
    assert len(started) == 1
    assert types <= {"task-already-running", "files-changing", "files-gone", "game-unknown"}
    assert (len(admin.get(TRASH).json()), files_of(library)) == (1, [])


def test_a_folder_stays_where_it_is_while_its_files_change(world: World, tmp_path: Path) -> None:
    admin = world.admin()
    source, game = doom(world, admin, "1.0")
    target, unused = managed_library(admin), managed_library(admin)
    change = StoredFileChange(paths=(), target_library=target["id"])
    row = FileChange(id="1", kind="move-game", library_id=source["id"], game_id=game, change=encode(change))
    row.switched, row.created, row.task_id = False, world.clock(), ""
    with world.services.db.write() as session:
        session.add(row)

    (tmp_path / "elsewhere").mkdir()
    elsewhere = {"baseDir": str(tmp_path / "elsewhere"), "managed": False}
    moved = [admin.patch(SOURCES, {"id": each["id"], "options": elsewhere}) for each in (source, target, unused)]
    renamed = admin.patch(SOURCES, {"id": source["id"], "name": "Renamed"})

    assert [each.json().get("type") for each in moved] == ["library-files-changing", "library-files-changing", None]
    assert renamed.status_code == 200
