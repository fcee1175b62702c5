"""Versions beside the folder of their game: in a flat library, `Doom 1.1` is added to the game of `Doom 1.0`."""

import shutil
from pathlib import Path
from typing import Any

import httpx2
import pytest

from beside import BESIDE, FLAT, add, put, stand
from library_files import (
    content,
    done,
    versions_of,
)
from plans import PLAN, PROGRAM, computed, row_of
from playdock.domain.events.rules import EventType
from playdock.domain.games.queries import NewGame, add_game
from playdock.features.moved_games.service import MovedGames
from playdock.features.version_import import tasks
from playdock.kit.identifiers import new_id
from scanning import HALF_AN_HOUR, announced, look, planned, set_rules, versions
from spoiling import damaged_files, reimport, verify_all
from world import Caller, World

AUTOMATIC = "/api/v1/admin/import/automatic"


def refused(admin: Caller, game: str, folder: str) -> tuple[int, str]:
    answer = admin.post(BESIDE, {"id": game, "folder": folder})
    return answer.status_code, answer.json()["type"]


@pytest.mark.parametrize("backend", [FLAT, "MixedFilesystem"])
def test_a_folder_is_added_to_a_game_as_a_newer_version(planning: World, backend: str) -> None:
    admin, _, game = stand(planning, "Doom 1.0", "Doom 1.1", backend=backend)
    row = row_of(computed(planning, admin), "Doom 1.1")
    assert row["versionOf"] == {"id": game, "name": "Doom"}
    assert [remark["code"] for remark in row["remarks"]] == ["name-in-store-beside"]

    add(planning, admin, game, "Doom 1.1")

    assert versions(admin, game) == ["Doom 1.1", "default"]
    assert admin.get(PLAN).json()["rows"] == []
    assert planning.unimported(admin) == []
    files = {file["path"]: file for file in planning.manifest(admin, game, "Doom 1.1")["files"]}
    assert sorted(files) == ["doom", "doom.wad"]
    assert content(admin, versions_of(admin, game)["Doom 1.1"])[1].count(b"Doom 1.1") == 1000
    assert announced(planning, EventType.VERSION_ADDED) == ["Doom 1.1"]
    (shown,) = [each for each in admin.get(f"/api/v1/admin/game/{game}").json()["versions"] if each["beside"]]
    assert (shown["name"], shown["launch"], shown["label"]) == ("Doom 1.1", "doom", "1.1")


def test_an_older_folder_becomes_an_older_version(planning: World) -> None:
    admin, _, game = stand(planning, "Doom 1.1", "Doom 1.0")
    add(planning, admin, game, "Doom 1.0")
    assert versions(admin, game) == ["default", "Doom 1.0"]
    assert announced(planning, EventType.VERSION_ADDED) == []


def test_a_deleted_version_is_offered_again(planning: World) -> None:
    admin, _, game = stand(planning, "Doom 1.0", "Doom 1.1")
    add(planning, admin, game, "Doom 1.1")

    assert admin.delete(f"/api/v1/admin/version/{versions_of(admin, game)['Doom 1.1']}").status_code == 204

    assert planning.unimported(admin) == ["Doom 1.1"]
    assert row_of(computed(planning, admin), "Doom 1.1")["versionOf"]["id"] == game
    add(planning, admin, game, "Doom 1.1")


def test_what_is_no_version_of_the_game_is_refused(planning: World) -> None:
    admin, library, game = stand(planning, "Doom 1.0", "Doom 1.1", "Quake")
    planning.import_game(admin, library, "Quake")
    (planning.games / "Doom 1.2").mkdir()
    outside = planning.folder / "outside"
    outside.mkdir()
    (outside / "secret.iso.crdownload").write_bytes(b"secret")
    add(planning, admin, game, "Doom 1.1")

    assert refused(admin, game, "Doom 1.0") == (409, "version-already-imported")
    assert refused(admin, game, "Doom 1.1") == (409, "version-already-imported")
    assert refused(admin, game, "Quake") == (409, "version-already-imported")
    assert refused(admin, game, "Doom 1.2") == (400, "version-unusable")
    assert refused(admin, game, "Doom 1.3") == (404, "version-not-listed")
    for path in ("../outside", "../games/Quake", "Doom 1.1/.", str(outside), ".", ""):
        assert refused(admin, game, path)[1] in {"version-not-listed", "invalid-input"}
    assert refused(admin, new_id(), "Doom 1.2") == (404, "game-unknown")
    assert planning.person("player").post(BESIDE, {"id": game, "folder": "Doom 1.2"}).status_code == 403


def test_a_folder_with_several_versions_is_not_one(planning: World) -> None:
    admin, _, game = stand(planning, "Doom 1.0", backend="MixedFilesystem")
    put(planning, "Doom Classic/1.0", "Doom Classic/1.1")
    assert row_of(computed(planning, admin), "Doom Classic")["versionOf"] is None
    assert refused(admin, game, "Doom Classic") == (404, "version-not-listed")


def test_folders_for_versions_are_not_versions_themselves(planning: World) -> None:
    put(planning, "Doom/1.0", "Doom 1.1/1.1")
    admin = planning.admin()
    game = planning.import_game(admin, planning.library(admin), "Doom")
    assert planning.import_version(admin, game, "1.0", launch="doom")["success"]

    row = row_of(computed(planning, admin), "Doom 1.1")

    assert (row["versionOf"], row["remarks"][0]["code"]) == (None, "name-in-store")
    assert refused(admin, game, "Doom 1.1") == (404, "version-not-listed")


def test_a_folder_of_another_library_is_not_offered(planning: World, tmp_path: Path) -> None:
    admin, _, game = stand(planning, "Doom 1.0")
    shutil.copytree(planning.games / "Doom 1.0", tmp_path / "other" / "Doom 1.1")
    planning.library(admin, tmp_path / "other", backend=FLAT)
    row = row_of(computed(planning, admin), "Doom 1.1")
    assert (row["versionOf"], row["remarks"][0]["code"]) == (None, "name-in-store-alone")
    assert refused(admin, game, "Doom 1.1") == (404, "version-not-listed")


def test_a_folder_cannot_become_a_game_and_a_version(planning: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin, library, game = stand(planning, "Doom 1.0", "Doom 1.1")

    def import_meanwhile() -> None:
        new = NewGame(new_id(), library["id"], "Doom 1.1", "Another", layout=FLAT)
        with planning.services.db.write() as session:
            add_game(session, new, at=planning.clock())

    monkeypatch.setattr(tasks, "read_layer", _after(import_meanwhile, tasks.read_layer))
    task = done(planning, admin, admin.post(BESIDE, {"id": game, "folder": "Doom 1.1"}))
    assert (task["success"], task["error"]["title"]) == (False, "Already imported")
    assert versions(admin, game) == ["default"]


def _after(change: Any, call: Any) -> Any:
    def both(*arguments: Any, **options: Any) -> Any:
        change()
        return call(*arguments, **options)

    return both


def test_a_version_beside_a_game_does_not_become_a_game(planning: World) -> None:
    admin, library, game = stand(planning, "Doom 1.0", "Doom 1.1")
    add(planning, admin, game, "Doom 1.1")
    answer = admin.post("/api/v1/admin/import/game", {"library": library["id"], "path": "Doom 1.1"})
    assert (answer.status_code, answer.json()["type"]) == (409, "game-already-imported")


def test_a_delta_beside_the_folder_is_layered_on_the_game(planning: World) -> None:
    admin, _, game = stand(planning, "Doom 1.0")
    planning.put("Doom 1.0a/level.wad", b"level")

    assert planning.import_version(admin, game, "Doom 1.0a", delta=True, beside=True)["success"]

    paths = [file["path"] for file in planning.manifest(admin, game, "Doom 1.0a")["files"]]
    assert sorted(paths) == ["doom", "doom.wad", "level.wad"]
    assert content(admin, versions_of(admin, game)["Doom 1.0a"])[1].endswith(b"level")


def test_an_archive_is_added_too(planning: World) -> None:
    admin, _, game = stand(planning, "Doom 1.0", "Doom 1.1")
    shutil.make_archive(str(planning.games / "Doom 1.1"), "zip", planning.games / "Doom 1.1")
    shutil.rmtree(planning.games / "Doom 1.1")
    add(planning, admin, game, "Doom 1.1.zip")
    assert versions(admin, game) == ["Doom 1.1.zip", "default"]
    assert content(admin, versions_of(admin, game)["Doom 1.1.zip"])[1].count(b"Doom 1.1") == 1000


# --- When files change ---


def test_damage_is_found_and_a_changed_version_is_imported_again(planning: World) -> None:
    admin, _, game = stand(planning, "Doom 1.0", "Doom 1.1")
    add(planning, admin, game, "Doom 1.1")
    planning.put("Doom 1.1/doom.wad", b"patched")
    verify_all(planning, admin)
    assert damaged_files(admin) == [("doom.wad", "changed")]

    version = versions_of(admin, game)["Doom 1.1"]
    assert reimport(planning, admin, version)["success"]

    assert (damaged_files(admin), content(admin, version)[1].endswith(b"patched")) == ([], True)


def test_a_version_that_vanishes_is_reported_by_the_next_scan(planning: World) -> None:
    admin, _, game = stand(planning, "Doom 1.0", "Doom 1.1")
    add(planning, admin, game, "Doom 1.1")
    look(planning, admin)
    shutil.move(planning.games / "Doom 1.1", planning.folder)

    look(planning, admin, later=31)
    assert damaged_files(admin) == [("", "missing")]
    assert admin.get("/api/v1/admin/import/moved").json() == []

    shutil.move(planning.folder / "Doom 1.1", planning.games)
    look(planning, admin, later=31)
    assert damaged_files(admin) == []


def test_a_version_is_verified_when_its_files_have_changed(planning: World) -> None:
    admin, _, game = stand(planning, "Doom 1.0", "Doom 1.1")
    add(planning, admin, game, "Doom 1.1")
    for _ in range(2):
        look(planning, admin, later=HALF_AN_HOUR)
    planning.put("Doom 1.1/doom.wad", b"patched")
    for _ in range(4):
        look(planning, admin, later=HALF_AN_HOUR)
    assert damaged_files(admin) == [("doom.wad", "changed")]


def test_a_game_is_not_missing_if_all_its_versions_are_beside_its_folder(planning: World) -> None:
    admin, _, game = stand(planning, "Doom 1.0", "Doom 1.1")
    add(planning, admin, game, "Doom 1.1")
    shutil.rmtree(planning.games / "Doom 1.0")
    assert [lost["game"]["id"] for lost in admin.get("/api/v1/admin/import/moved").json()] == [game]
    assert admin.delete(f"/api/v1/admin/version/{versions_of(admin, game)['default']}").status_code == 204
    assert admin.get("/api/v1/admin/import/moved").json() == []
    assert content(admin, versions_of(admin, game)["Doom 1.1"])[0] == 200


def test_a_game_whose_folder_was_renamed_keeps_its_other_versions(planning: World, tmp_path: Path) -> None:
    admin, library, game = stand(planning, "Doom 1.0", "Doom 1.1")
    add(planning, admin, game, "Doom 1.1")
    shutil.copytree(planning.games / "Doom 1.0", tmp_path / "other" / "Doom")
    (planning.games / "Doom 1.0").rename(planning.games / "Doom (1993)")
    other = planning.library(admin, tmp_path / "other", backend=FLAT)

    def move(target: dict[str, Any], path: str) -> httpx2.Response:
        return admin.post(f"/api/v1/admin/game/{game}/move", {"library": target["id"], "path": path})

    assert "Doom 1.1 is beside the folder" in move(other, "Doom").json()["detail"]
    assert move(library, "Doom 1.1").json()["type"] == "game-already-imported"
    assert move(library, "Doom (1993)").status_code == 200
    for version in versions_of(admin, game).values():
        assert content(admin, version)[0] == 200


def test_a_library_is_removed_with_versions_beside_games(planning: World) -> None:
    admin, library, game = stand(planning, "Doom 1.0", "Doom 1.1")
    add(planning, admin, game, "Doom 1.1")
    started = admin.post(f"/api/v1/admin/library/sources/{library['id']}/removal")
    assert started.status_code == 202, started.text
    planning.clock.advance(minutes=6)
    planning.finish(admin, started.json()["taskId"])
    assert admin.get("/api/v1/admin/library").json()["games"] == []


def test_a_game_without_versions_in_its_folder_does_not_need_it(planning: World) -> None:
    admin, _, game = stand(planning, "Doom 1.0", "Doom 1.1")
    add(planning, admin, game, "Doom 1.1")
    assert admin.delete(f"/api/v1/admin/version/{versions_of(admin, game)['default']}").status_code == 204
    shutil.rmtree(planning.games / "Doom 1.0")
    (listed,) = admin.get("/api/v1/admin/library").json()["games"]
    assert listed["status"]["unimportedVersions"] == []


def test_a_game_is_not_assigned_to_another_library_while_a_folder_is_added(
    planning: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, _, game = stand(planning, "Doom 1.0", "Doom 1.1")
    shutil.copytree(planning.games / "Doom 1.0", tmp_path / "other" / "Doom")
    shutil.rmtree(planning.games / "Doom 1.0")
    other = planning.library(admin, tmp_path / "other", backend=FLAT)
    compare = MovedGames._compare

    def adding(*given: Any) -> Any:
        add(planning, admin, game, "Doom 1.1")
        return compare(*given)

    monkeypatch.setattr(MovedGames, "_compare", adding)
    answer = admin.post(f"/api/v1/admin/game/{game}/move", {"library": other["id"], "path": "Doom"})
    assert (answer.status_code, "Doom 1.1 is beside" in answer.json()["detail"]) == (409, True)
    assert content(admin, versions_of(admin, game)["Doom 1.1"])[0] == 200


def test_a_request_for_the_folder_is_done_when_it_is_added(planning: World) -> None:
    admin, library, game = stand(planning, "Doom 1.0", "Doom 1.1")
    look(planning, admin)
    request = admin.post("/api/v1/requests", {"name": "The newest shooter"}).json()["id"]
    answer = {"status": "accepted", "comment": "", "libraryId": library["id"], "path": "Doom 1.1"}
    answered = admin.post(f"/api/v1/admin/requests/{request}/answer", answer)
    assert answered.status_code == 200, answered.text

    add(planning, admin, game, "Doom 1.1")

    (done_request,) = admin.get("/api/v1/requests", params={"status": "ended"}).json()["requests"]
    assert (done_request["status"], done_request["gameId"]) == ("done", game)


# --- Rules ---


def test_a_rule_compares_versions_in_and_beside_the_folder_by_their_numbers(planning: World) -> None:
    admin, library, game = stand(planning, "Doom 1.1", backend="MixedFilesystem")
    put(planning, "Zork/1.0")
    zork = planning.import_game(admin, library, "Zork")
    assert planning.import_version(admin, zork, "1.0", launch="doom")["success"]
    put(planning, "Zork 1.1")
    add(planning, admin, zork, "Zork 1.1")
    set_rules(admin, library, importVersions=True)
    look(planning, admin)

    put(planning, "Zork/0.9", "Zork/v1.2")
    for _ in range(3):
        look(planning, admin, later=31)

    assert versions(admin, zork) == ["v1.2", "Zork 1.1", "1.0"]
    assert versions(admin, game) == ["default"]


def test_a_rule_leaves_a_folder_alone_that_is_recognized_as_another_game(planning: World) -> None:
    admin, library, game = stand(planning, "DOOM 1.0", "Quake")
    refreshed = admin.post(f"/api/v1/admin/game/{game}/refresh", {"sourceId": "Steam", "id": "2310"})
    assert planning.finish(admin, refreshed.json()["taskId"])["success"]
    put(planning, "DOOM 1.1")
    planning.put("DOOM 1.1/steam_appid.txt", b"379720")
    set_rules(admin, library, importVersions=True)
    for later in (0, 31, 31):
        look(planning, admin, later=later)
    assert versions(admin, game) == ["default"]
    assert planned(admin) == ["DOOM 1.1", "Quake"]


def test_folders_that_arrive_together_become_one_game(planning: World) -> None:
    admin = planning.admin()
    library = planning.library(admin, backend=FLAT)
    set_rules(admin, library, importGames=True, importVersions=True)
    # The second one alone is not recognized with certainty.
    planning.put("DOOM 1.0/steam_appid.txt", b"379720")
    for folder in ("DOOM 1.0", "DOOM 1.1"):
        planning.put(f"{folder}/start", PROGRAM, mode=0o755)
    for later in (0, 31, 31, 61, 61):
        look(planning, admin, later=later)
    (game,) = admin.get("/api/v1/admin/library").json()["games"]
    assert versions(admin, game["game"]["id"]) == ["DOOM 1.1", "default"]
    assert announced(planning, EventType.FOLDERS_FOUND, "folders") == []


def test_a_rule_adds_newer_folders_once_and_undoes_that(planning: World) -> None:
    admin, library, game = stand(planning, "Doom 1.0")
    put(planning, "Doom 1.1", "Doom 0.9", "Doom", "Quake 1.1")
    planning.put("Doom 2.0/other", PROGRAM, mode=0o755)
    set_rules(admin, library, importVersions=True)
    look(planning, admin)
    assert versions(admin, game) == ["default"]

    for _ in range(3):
        look(planning, admin, later=31)

    assert versions(admin, game) == ["Doom 1.1", "default"]
    assert announced(planning, EventType.VERSION_IMPORTED) == ["default"]
    reasons = {row["game"]: row["leftOut"] and row["leftOut"]["code"] for row in admin.get(PLAN).json()["rows"]}
    assert reasons == {
        "Doom": "version-not-newer",
        "Doom 0.9": "version-not-newer",
        "Doom 2.0": "version-without-program",
        "Quake 1.1": None,
    }
    (found,) = admin.get(AUTOMATIC).json()
    assert (found["gameId"], found["folder"], found["undone"]) == (game, "Doom 1.1", None)
    assert admin.delete(f"{AUTOMATIC}/{found['id']}").status_code == 204
    look(planning, admin, later=31)
    look(planning, admin, later=HALF_AN_HOUR)
    assert versions(admin, game) == ["default"]
    assert planned(admin) == ["Doom", "Doom 0.9", "Doom 1.1", "Doom 2.0", "Quake 1.1"]


def test_a_rule_adds_several_folders_one_after_another(planning: World) -> None:
    admin, library, game = stand(planning, "Doom 1.0", "Doom 1.2", "Doom 1.10")
    set_rules(admin, library, importVersions=True)
    for later in (0, 31, 61, 61):
        look(planning, admin, later=later)
    assert versions(admin, game) == ["Doom 1.10", "Doom 1.2", "default"]


def test_a_rule_does_not_add_a_folder_that_may_be_the_old_one(planning: World) -> None:
    admin, library, game = stand(planning, "Doom 1.0", "Quake")
    set_rules(admin, library, importVersions=True)
    look(planning, admin)
    (planning.games / "Doom 1.0").rename(planning.games / "Doom 1.1")
    look(planning, admin, later=31)
    look(planning, admin, later=31)
    assert versions(admin, game) == ["default"]
    assert planned(admin) == ["Doom 1.1", "Quake"]
