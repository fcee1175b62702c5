"""The plan of an import: what folders are taken for, how sure that is, and what comes of applying it."""

import json
import os
import zipfile
from datetime import date
from typing import Any

import httpx2
import pytest

from plans import GAMES, PLAN, PROGRAM, RUN, apply, computed, imported, row_of
from playdock.metadata.game_metadata import GameMetadata, Precision, ReleaseDate
from shops import FakeProvider
from world import World


def test_a_folder_with_a_steam_app_id_file_is_certain(planning: World) -> None:
    planning.put("some-folder/1.0/steam_appid.txt", b"70\n")
    planning.put("some-folder/1.0/half-life", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    row = row_of(computed(planning, admin), "some-folder")
    assert (row["certain"], row["candidates"][0]["name"]) == (True, "Half-Life")
    assert row["candidates"][0]["reasons"][0] == "Steam id 70"


def test_a_provider_id_in_the_folder_name_is_enough_to_be_certain(planning: World) -> None:
    planning.put("Whatever (steam-2310)/1.0/x", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    row = row_of(computed(planning, admin), "Whatever (steam-2310)")
    assert (row["certain"], row["candidates"][0]["name"]) == (True, "Quake")


def test_a_name_is_certain_only_with_a_program_of_the_same_name(planning: World) -> None:
    planning.put("Hades/1.0/data.bin")
    planning.put("Quake/1.0/quake", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    plan = computed(planning, admin)
    assert {row["game"]: row["certain"] for row in plan["rows"]} == {"Hades": False, "Quake": True}
    assert (plan["total"], plan["certain"], plan["doubtful"]) == (2, 1, 1)
    assert row_of(plan, "Hades")["candidates"][0]["name"] == "Hades"


def test_a_plan_can_be_listed_per_library(planning: World) -> None:
    planning.put("Hades/1.0/data.bin")
    (planning.folder / "elsewhere" / "Quake" / "1.0").mkdir(parents=True)
    admin = planning.admin()
    libraries = [planning.library(admin), planning.library(admin, planning.folder / "elsewhere")]
    computed(planning, admin)
    plans = [admin.get(PLAN, params={"library": library["id"]}).json() for library in libraries]
    assert [[row["game"] for row in plan["rows"]] for plan in plans] == [["Hades"], ["Quake"]]
    assert [plan["total"] for plan in plans] == [1, 1]


def test_a_different_year_in_the_folder_name_makes_a_row_need_review(planning: World, shop: FakeProvider) -> None:
    planning.put("Hades (1994)/1.0/hades", PROGRAM, mode=0o755)
    shop.games = {"1": released("Hades", 2020)}
    admin = planning.admin()
    planning.library(admin)
    assert not row_of(computed(planning, admin), "Hades (1994)")["certain"]


def test_two_games_with_the_same_name_need_review(planning: World, shop: FakeProvider) -> None:
    planning.put("Prey/1.0/prey", PROGRAM, mode=0o755)
    shop.games = {"3970": released("Prey", 2006), "480490": released("PREY", 2017)}
    admin = planning.admin()
    planning.library(admin)
    row = row_of(computed(planning, admin), "Prey")
    assert (row["certain"], len(row["candidates"])) == (False, 2)


def test_an_unrecognized_folder_has_a_row_with_its_title(planning: World, shop: FakeProvider) -> None:
    shop.games = {}
    planning.put("My.Own.Game.v1.2/1.0/x")
    admin = planning.admin()
    planning.library(admin)
    row = row_of(computed(planning, admin), "My.Own.Game.v1.2")
    assert (row["title"], row["candidates"], row["confidence"]) == ("My Own Game", [], 0.0)


def test_versions_are_proposed_with_launch_guesses(planning: World) -> None:
    planning.put("Quake/1.0/bin/quake", PROGRAM, mode=0o755)
    planning.put("Quake/0.9/readme.txt")
    with zipfile.ZipFile(planning.games / "Quake" / "1.1.zip", "w") as archive:
        archive.writestr("setup_quake.exe", b"MZ")
    admin = planning.admin()
    planning.library(admin)
    versions = row_of(computed(planning, admin), "Quake")["versions"]
    assert [each["version"] for each in versions] == ["0.9", "1.0", "1.1.zip"]
    assert versions[0]["remark"]
    assert (versions[1]["platform"], versions[1]["launch"]) == ("Linux", "bin/quake")
    assert (versions[2]["onlySetup"], versions[2]["setup"]) == (True, "setup_quake.exe")


def test_a_version_that_is_still_being_downloaded_is_not_proposed(planning: World) -> None:
    admin = planning.admin()
    planning.put("Quake/1.0/quake", PROGRAM, mode=0o755)
    rest = planning.put("Quake/1.0/pak0.pak.part", b"half")
    planning.library(admin)

    [version] = row_of(computed(planning, admin), "Quake")["versions"]
    assert (version["remarkCode"], version["launch"]) == ("download-unfinished", "")
    assert "pak0.pak.part has not been downloaded completely" in version["remark"]

    rest.rename(rest.with_suffix(""))
    [version] = row_of(computed(planning, admin, fresh=True), "Quake")["versions"]
    assert (version["remark"], version["launch"]) == ("", "quake")


def test_all_certain_rows_can_be_imported_with_one_request(planning: World) -> None:
    planning.put("Quake/1.0/quake", PROGRAM, mode=0o755)
    planning.put("Hades/1.0/data.bin")
    admin = planning.admin()
    planning.library(admin)
    computed(planning, admin)

    run = apply(planning, admin, certain=True)

    assert (run["total"], run["imported"], run["failed"]) == (1, 1, 0)
    game = imported(admin)["Quake"]
    assert (game["mName"], game["metadataSource"], game["metadataId"]) == ("Quake", "Steam", "2310")
    assert planning.manifest(admin, game["id"], "1.0")["files"][0]["path"] == "quake"
    assert [row["game"] for row in computed(planning, admin)["rows"]] == ["Hades"]


def test_a_row_is_imported_with_its_corrections(planning: World) -> None:
    planning.put("Hades/1.0/data.bin")
    admin = planning.admin()
    planning.library(admin)
    row = row_of(computed(planning, admin), "Hades")
    metadata = {"id": "2310", "sourceId": "Steam", "name": "Quake"}
    versions = [{"version": "1.0", "platform": "linux", "launch": "data.bin"}]
    apply(planning, admin, rows=[{"id": row["id"], "metadata": metadata, "versions": versions}])
    game = imported(admin)["Hades"]
    assert (game["mName"], planning.manifest(admin, game["id"], "1.0")["files"][0]["path"]) == ("Quake", "data.bin")


def test_a_row_can_be_imported_without_metadata(planning: World) -> None:
    planning.put("Hades/1.0/data.bin")
    admin = planning.admin()
    planning.library(admin)
    row = row_of(computed(planning, admin), "Hades")
    run = apply(planning, admin, rows=[{"id": row["id"], "metadata": None, "versions": []}])
    assert (run["imported"], imported(admin)["Hades"]["metadataSource"]) == (1, "Manual")


def test_a_failed_folder_does_not_prevent_the_import_of_others(planning: World) -> None:
    for name in ("Hades", "Quake"):
        planning.put(f"{name}/1.0/{name.lower()}", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    plan = computed(planning, admin)
    rows = [{"id": row_of(plan, name)["id"]} for name in ("Hades", "Quake")]
    unknown = {"id": "999", "sourceId": "Steam", "name": "Hades"}
    run = apply(planning, admin, rows=[{**rows[0], "metadata": unknown}, rows[1]])
    faults = {row["game"]: row["fault"] for row in run["rows"]}
    assert (run["imported"], run["failed"], faults["Quake"]) == (1, 1, None)
    assert "999" in faults["Hades"]


def test_the_folders_of_an_undone_run_can_be_imported_again(planning: World) -> None:
    planning.put("Quake/1.0/quake", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    computed(planning, admin)
    run = apply(planning, admin, certain=True)

    taken = admin.delete(f"{RUN}/{run['id']}")

    assert taken.status_code == 204
    assert (imported(admin), planning.unimported(admin)) == ({}, ["Quake"])
    assert admin.get(f"{RUN}/{run['id']}").json()["takenBack"]
    assert admin.delete(f"{RUN}/{run['id']}").json()["type"] == "run-undone"
    computed(planning, admin)
    assert apply(planning, admin, certain=True)["imported"] == 1


def test_metadata_of_all_games_is_fetched_in_one_batch(planning: World, shop: FakeProvider) -> None:
    for game_id in GAMES:
        planning.put(f"Folder {game_id}/1.0/steam_appid.txt", game_id.encode())
        planning.put(f"Folder {game_id}/1.0/game", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    computed(planning, admin)
    shop.fetched.clear()
    apply(planning, admin, atLeast=0.5)
    assert [sorted(ids) for ids in shop.fetched] == [sorted(GAMES)]


def test_only_new_folders_are_rescanned(planning: World) -> None:
    planning.put("Quake/1.0/quake", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    before = row_of(computed(planning, admin), "Quake")
    assert admin.post(f"{PLAN}/task", {}).json() == {"taskId": None}
    planning.put("Hades/1.0/hades", PROGRAM, mode=0o755)
    unchanged = admin.get(PLAN).json()
    assert ([row["game"] for row in unchanged["rows"]], unchanged["taskId"]) == (["Quake"], None)
    after = computed(planning, admin)
    assert len(after["rows"]) == 2
    assert row_of(after, "Quake")["computed"] == before["computed"]
    planning.clock.advance(seconds=1)
    assert row_of(computed(planning, admin, fresh=True), "Quake")["computed"] > before["computed"]


def test_rows_of_deleted_folders_are_removed(planning: World) -> None:
    file = planning.put("Quake/1.0/quake", PROGRAM, mode=0o755)
    planning.put("Hades/1.0/hades", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    computed(planning, admin)
    file.unlink()
    file.parent.rmdir()
    file.parent.parent.rmdir()
    assert [row["game"] for row in computed(planning, admin)["rows"]] == ["Hades"]


@pytest.mark.parametrize(
    ("choice", "status", "code"),
    [
        ({}, 400, "nothing-selected"),
        ({"certain": True}, 400, "nothing-selected"),
        ({"atLeast": 0.7}, 400, "no-folder-reaches"),
        ({"rows": [{"id": "no such row"}]}, 404, "plan-row-unknown"),
        ({"rows": [{"id": "x", "metadata": {"id": "1", "sourceId": "Nobody", "name": "x"}}]}, 400, "invalid-input"),
        ({"rows": [{"id": "x", "versions": [{"version": "1"}]}]}, 400, "invalid-input"),
    ],
)
def test_an_invalid_selection_is_rejected_with_the_reason(
    planning: World, choice: dict[str, Any], status: int, code: str
) -> None:
    refused = planning.admin().post(PLAN, choice)
    assert (refused.status_code, refused.json()["type"]) == (status, code)


def test_plans_and_runs_require_their_permissions(planning: World) -> None:
    admin = planning.admin()
    reader = planning.token_of(admin, "system:library:read")
    importer = planning.token_of(admin, "system:import:game:read")
    calls = [("GET", PLAN), ("POST", PLAN), ("GET", RUN), ("GET", f"{RUN}/x"), ("DELETE", f"{RUN}/x")]
    assert {reader.request(method, path, json={}).status_code for method, path in calls} == {403}
    assert importer.get(PLAN).status_code == 200
    assert importer.post(PLAN, {"certain": True}).status_code == 403, "versions are imported as well"
    assert importer.post(PLAN, {"nonsense": 1}).status_code == 403, "rights come before the body"
    assert importer.delete(f"{RUN}/x").status_code == 403


def test_an_unknown_run_is_not_found(planning: World) -> None:
    admin = planning.admin()
    answers: list[httpx2.Response] = [admin.get(f"{RUN}/x"), admin.delete(f"{RUN}/x")]
    assert [(answer.status_code, answer.json()["type"]) for answer in answers] == [(404, "run-unknown")] * 2


def test_a_goggame_file_identifies_the_game(planning: World) -> None:
    info = {"gameId": "1207658930", "rootGameId": "1207658930", "name": "Quake", "version": 1}
    planning.put("setup files/1.0/goggame-1207658930.info", json.dumps(info).encode())
    planning.put("setup files/1.0/quake.exe", b"MZ" + bytes(100))
    admin = planning.admin()
    planning.library(admin)
    row = row_of(computed(planning, admin), "setup files")
    assert row["candidates"][0]["name"] == "Quake"
    assert any("goggame" in reason for reason in row["candidates"][0]["reasons"])


def released(name: str, year: int) -> GameMetadata:
    return GameMetadata(name, released=ReleaseDate(date(year, 1, 1), Precision.YEAR))


def test_the_plan_can_be_searched_and_sorted(planning: World) -> None:
    for name in ("quake", "Doom", "Hades_100%", "Half-Life"):
        planning.put(f"{name}/1.0/program", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    computed(planning, admin)

    def folders(**wanted: str) -> list[str]:
        found = admin.get(PLAN, params=wanted).json()
        assert found["total"] == len(found["rows"])
        return [row["game"] for row in found["rows"]]

    assert folders(sort="folder") == ["Doom", "Hades_100%", "Half-Life", "quake"]
    assert folders(q=" QUAKE ") == ["quake"]
    assert folders(q="ha", sort="folder") == ["Hades_100%", "Half-Life"]
    assert folders(q="_100%") == ["Hades_100%"]
    assert folders(q="nothing") == []
    assert admin.get(PLAN, params={"sort": "size"}).status_code == 400


def test_files_that_cannot_be_imported_are_listed_with_the_reason(planning: World) -> None:
    for name in ("Doom.rar", "Quake.nrg", "setup.exe", "readme.txt", ".hidden.7z", "Half-Life/1.0/hl.exe"):
        planning.put(name)
    for name in ("setup_blood_1.0.exe", "setup_blood_1.0-1.bin", "setup_blood_1.0-2.bin"):
        planning.put(name)
    for undecodable in (b"Pok\xe9mon", b".cach\xe9"):
        (planning.games / os.fsdecode(undecodable)).mkdir()
    admin = planning.admin()
    library = planning.library(admin)
    found = admin.get("/api/v1/admin/import/game/loose").json()
    assert {each["name"]: each["reasonCode"] for each in found} == {
        "Doom.rar": "archive-without-folder",
        "setup_blood_1.0.exe": "archive-without-folder",
        "Quake.nrg": "disc-image-unimportable",
        "setup.exe": "program-without-folder",
        "Pok\N{REPLACEMENT CHARACTER}mon": "name-not-utf8",
    }
    assert {each["library"] for each in found} == {library["id"]}


@pytest.mark.parametrize("first", ["Hades", "Hades/1.0"])
def test_a_second_game_of_a_name_in_the_store_is_only_imported_if_it_is_selected(planning: World, first: str) -> None:
    planning.put(f"{first}/hades.exe", PROGRAM)
    admin = planning.admin()
    planning.library(admin, backend="MixedFilesystem")
    row = row_of(computed(planning, admin), "Hades")
    apply(planning, admin, rows=[{"id": row["id"], "metadata": None}])
    planning.put("Hades v1.2/hades.exe", PROGRAM)
    planning.put("Quake/quake.exe", PROGRAM)
    row = row_of(computed(planning, admin), "Hades v1.2")
    assert [each["code"] for each in row["remarks"]] == ["name-in-store-beside"]
    apply(planning, admin, atLeast=0)
    assert set(imported(admin)) == {"Hades", "Quake"}
    apply(planning, admin, rows=[{"id": row["id"], "metadata": None}])
    assert set(imported(admin)) == {"Hades", "Hades v1.2", "Quake"}


def test_of_two_folders_of_one_name_only_the_first_is_imported_unless_both_are_selected(planning: World) -> None:
    for name in ("Zyx", "Zyx v1.2"):
        planning.put(f"{name}/1.0/zyx.exe", PROGRAM)
    admin = planning.admin()
    planning.library(admin)
    computed(planning, admin)
    apply(planning, admin, atLeast=0)
    assert set(imported(admin)) == {"Zyx"}
    [row] = computed(planning, admin)["rows"]
    assert [(each["code"], each["parameters"]["folder"]) for each in row["remarks"]] == [("name-in-store", "Zyx")]


def test_a_recognized_folder_needs_review_if_its_game_was_imported_without_metadata(planning: World) -> None:
    planning.put("Hades/1.0/hades", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    row = row_of(computed(planning, admin), "Hades")
    apply(planning, admin, rows=[{"id": row["id"], "metadata": None}])
    planning.put("Hades [steam-1145360]/1.0/hades", PROGRAM, mode=0o755)
    plan = computed(planning, admin)
    assert (plan["certain"], plan["doubtful"]) == (0, 1)
    assert [each["code"] for each in plan["rows"][0]["remarks"]] == ["name-in-store"]


def test_a_game_with_other_metadata_is_not_taken_for_one_of_the_same_name(planning: World, shop: FakeProvider) -> None:
    shop.games = {"1": released("Doom", 1993), "2": released("Doom", 2016)}
    for year in (1993, 2016):
        planning.put(f"Doom ({year})/1.0/doom", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    apply(planning, admin, rows=[{"id": row_of(computed(planning, admin), "Doom (1993)")["id"]}])
    row = row_of(computed(planning, admin), "Doom (2016)")
    assert (row["certain"], row["remarks"]) == (True, [])
