"""Moving a version to another game, with its files and with what has been noted about it."""

from typing import Any

import httpx2
import pytest

from devices import device
from library_files import changes, content, done, doom, files_of, move_version, quake, versions_of, write
from playdock.db import reassignment
from playdock.features.library_files.tasks import Carrier
from playdock.models import PatchSet
from playdock.storage.moving_files import FilesMove
from uploads import folder_of, managed_library
from waiting import wait_until
from world import World

pytestmark = pytest.mark.both_databases


def test_a_version_moves_to_another_game_with_its_release_notes_times_and_devices(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0", "1.1")
    other = quake(world, admin, library, "1.0")
    version = versions_of(admin, game)["1.1"]
    laptop, tower = device(world, admin), device(world, admin)
    for each, installed in ((laptop, []), (tower, [{"game": other, "version": versions_of(admin, other)["1.0"]}])):
        report = {"installations": [{"game": game, "version": version}, *installed]}
        assert each.request("PUT", "/api/v1/client/installations", json=report).status_code == 204
    article = {"title": "What is new", "description": "", "content": "More", "versionId": version}
    assert admin.post("/api/v1/admin/news", article).is_success
    sent = content(admin, version)

    assert done(world, admin, move_version(admin, version, other, name="1.1 fixed"))["success"]

    assert files_of(library) == [
        "Doom/1.0/doom",
        "Doom/1.0/doom.wad",
        "Quake/1.0/quake",
        "Quake/1.1 fixed/doom",
        "Quake/1.1 fixed/doom.wad",
    ]
    assert list(versions_of(admin, game)) == ["1.0"]
    assert next(iter(versions_of(admin, other).items())) == ("1.1 fixed", version)
    assert content(admin, version) == sent
    assert (world.unimported(admin), admin.get("/api/v1/admin/damage").json(), changes(world)) == ([], [], [])
    [news] = admin.get("/api/v1/news").json()
    assert (news["gameId"], news["versionId"]) == (other, version)
    shown = [each["installations"] for each in admin.get("/api/v1/user/installations").json()]
    # The client still knows it as a version of the game that it installed.
    again = {"installations": [{"game": game, "version": version}]}
    assert laptop.request("PUT", "/api/v1/client/installations", json=again).status_code == 204
    shown = [each["installations"] for each in admin.get("/api/v1/user/installations").json()]
    assert sorted((each["gameId"], each["version"]["name"]) for [each] in shown) == sorted(
        [(other, "1.1 fixed"), (other, "1.0")]
    )


def test_patches_from_and_to_a_version_are_deleted_when_it_moves(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0", "1.1")
    other = quake(world, admin, library, "1.0")
    ids = versions_of(admin, game)

    def sets() -> list[PatchSet]:
        with world.services.db.read() as session:
            return [each for each in session.query(PatchSet) if ids["1.0"] in (each.version_id, each.from_id)]

    wait_until(sets)
    assert done(world, admin, move_version(admin, ids["1.1"], other))["success"]

    assert sets() == []


def test_versions_move_only_to_games_that_can_have_them(world: World) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    write(library, "Doom/1.1/more.wad")
    assert world.import_version(admin, game, "1.1", delta=True, launch="")["success"]
    other = quake(world, admin, library, "1.0")
    flat = managed_library(admin, backend="FlatFilesystem")
    write(flat, "Hexen/hexen")
    hexen = world.import_game(admin, flat, "Hexen")
    assert world.import_version(admin, hexen, "default", launch="hexen")["success"]
    ids, files = versions_of(admin, game), [*files_of(library), *files_of(flat)]

    def problem(answer: httpx2.Response) -> tuple[int, str]:
        body = answer.json()
        return answer.status_code, body["errors"][0]["field"] if body.get("errors") else body["type"]

    [whole] = versions_of(admin, hexen).values()
    quake_version = versions_of(admin, other)["1.0"]
    answers = [
        move_version(admin, ids["1.1"], other),
        move_version(admin, ids["1.0"], other, name="1.0 first"),
        move_version(admin, quake_version, game),
        move_version(admin, quake_version, hexen),
        move_version(admin, whole, game),
        move_version(admin, quake_version, other),
        move_version(admin, quake_version, "unknown"),
        move_version(admin, quake_version, game, name="../x"),
    ]
    gone = folder_of(library) / "Doom"
    gone.rename(gone.with_name("Away"))
    answers.append(move_version(admin, quake_version, game, name="2.0"))
    gone.with_name("Away").rename(gone)

    assert [problem(answer) for answer in answers] == [
        (400, "game"),
        (409, "version-is-base"),
        (409, "place-occupied"),
        (400, "game"),
        (409, "version-is-whole-game"),
        (400, ""),
        (404, "game-unknown"),
        (400, "name"),
        (404, "files-gone"),
    ]
    assert [*files_of(library), *files_of(flat)] == files


def test_a_game_stays_where_it_is_while_a_version_moves_to_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    other = quake(world, admin, library, "0.9")
    version = versions_of(admin, game)["1.0"]
    write(library, "Hexen/3.0/hexen")
    third = world.import_game(admin, library, "Hexen")
    assert world.import_version(admin, third, "3.0", launch="hexen")["success"]
    refused: list[httpx2.Response] = []
    carry_out = FilesMove.carry_out

    def rename_other(self: FilesMove, advance: Any) -> None:
        refused.append(admin.patch(f"/api/v1/admin/game/{other}/files", {"path": "Quake I"}))
        refused.append(move_version(admin, versions_of(admin, third)["3.0"], other))
        carry_out(self, advance)

    monkeypatch.setattr(FilesMove, "carry_out", rename_other)
    assert done(world, admin, move_version(admin, version, other))["success"]
    monkeypatch.undo()

    # The change that is under way is neither settled nor disturbed.
    assert [each.json()["type"] for each in refused] == ["task-already-running"] * 2
    assert list(versions_of(admin, other)) == ["1.0", "0.9"]
    assert done(world, admin, admin.patch(f"/api/v1/admin/game/{other}/files", {"path": "Quake I"}))["success"]


def test_the_files_return_if_the_other_game_is_deleted_while_they_move(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = world.admin()
    library, game = doom(world, admin, "1.0")
    other = quake(world, admin, library, "0.9")
    version, files = versions_of(admin, game)["1.0"], files_of(library)
    move = Carrier._move

    def delete_other(self: Carrier, files: FilesMove) -> None:
        move(self, files)
        assert admin.delete(f"/api/v1/admin/game/{other}").is_success

    with monkeypatch.context() as patch:
        patch.setattr(Carrier, "_move", delete_other)
        failed = done(world, admin, move_version(admin, version, other))

    assert (failed["success"], failed["error"]["code"]) == (False, "game-unknown")
    assert (files_of(library), changes(world)) == (files, [])
    assert content(admin, version)[0] == 200


def test_every_table_that_refers_to_a_version_and_its_game_is_reassigned() -> None:
    found = {table.name for table, _, _ in reassignment.tables_with_both()}

    assert found == {"device_installations", "news_articles", "play_sessions"}
