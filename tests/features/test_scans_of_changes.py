"""Scans of files that change in other ways than being copied once, and what people are told of them."""

import io
import shutil
import zipfile
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select

from library_files import write
from plans import PROGRAM, RUN, apply, imported
from playdock.domain.events.rules import EventType
from playdock.features.bulk_import.tasks import RunImports
from playdock.features.library_scans import tasks
from playdock.features.library_scans.service import SCAN
from playdock.kit.messages import Message
from playdock.models import Task, TaskLogEntry
from playdock.storage.folder_state import state_of
from playdock.storage.locations import VersionLocation
from playdock.tasks.errors import TaskFailed
from scanning import HALF_AN_HOUR, PLAN, announced, left_out, look, planned, set_rules, versions
from shops import FakeProvider
from storage import windows
from uploads import managed_library
from waiting import wait_until
from world import World


def archive_of(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


def test_a_new_version_that_is_being_copied_is_not_offered_for_import(planning: World) -> None:
    admin = planning.admin()
    planning.put("DOOM/1.0/doom", PROGRAM, mode=0o755)
    library = planning.library(admin)
    game = planning.import_game(admin, library, "DOOM")
    assert planning.import_version(admin, game, "1.0", launch="doom")["success"]
    planning.put("DOOM/1.1/doom", PROGRAM, mode=0o755)

    def offered() -> tuple[Any, Any]:
        one = admin.get("/api/v1/admin/import/version", params={"id": game}).json()
        [status] = admin.get("/api/v1/admin/library").json()["games"]
        return one, status["status"]["unimportedVersions"]

    look(planning, admin)
    copying = offered()
    assert planning.finish(admin, admin.post("/api/v1/admin/import/version/new").json()["taskId"])["success"]
    look(planning, admin, later=5)

    assert copying == ([], [])
    assert (offered(), versions(admin, game)) == ((["1.1"], ["1.1"]), ["1.0"])


def test_a_rule_imports_no_game_without_a_version_that_can_be_played(planning: World) -> None:
    admin = planning.admin()
    planning.put("DOOM/1.0/steam_appid.txt", b"379720")
    planning.put("Quake/1.0/steam_appid.txt", b"2310")
    planning.put("Quake/1.0/quake", PROGRAM, mode=0o755)
    set_rules(admin, planning.library(admin), importGames=True)

    look(planning, admin)
    look(planning, admin, later=31)
    look(planning, admin, later=31)

    assert list(imported(admin)) == ["Quake"]
    assert planned(admin) == ["DOOM"]
    # It is for a person to decide.
    assert announced(planning, EventType.FOLDERS_FOUND, "folders") == ["['DOOM']"]
    refused = admin.post(PLAN, {"rows": [], "atLeast": 0})
    assert (refused.status_code, list(imported(admin))) == (400, ["Quake"])


def test_an_archive_that_was_copied_in_two_parts_is_read_again(planning: World) -> None:
    admin = planning.admin()
    planning.library(admin)
    content = archive_of({"steam_appid.txt": b"379720", "doom.exe": windows.program({})})
    planning.put("DOOM/1.0.zip", content[:100])
    look(planning, admin)
    look(planning, admin, later=31)
    [damaged] = admin.get(PLAN).json()["rows"]

    planning.put("DOOM/1.0.zip", content)
    look(planning, admin, later=3600)
    look(planning, admin, later=31)

    [whole] = admin.get(PLAN).json()["rows"]
    assert [bool(row["versions"][0]["remark"]) for row in (damaged, whole)] == [True, False]
    assert announced(planning, EventType.FOLDERS_FOUND, "count") == ["1"]


def test_a_version_that_cannot_be_read_does_not_hide_the_others(
    planning: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = planning.admin()
    planning.library(admin)
    planning.put("DOOM/1.0/doom", PROGRAM, mode=0o755)
    planning.put("DOOM/1.1/doom", PROGRAM, mode=0o755)
    original = state_of

    def state(location: VersionLocation, **options: Any) -> Any:
        if location.name.endswith("1.1"):
            raise PermissionError
        return original(location, **options)

    monkeypatch.setattr(tasks, "state_of", state)
    look(planning, admin)
    look(planning, admin, later=31)
    hidden = planned(admin)
    look(planning, admin, later=300)

    assert (hidden, planned(admin)) == ([], ["DOOM"])
    with planning.services.db.read() as session:
        assert not session.scalars(select(Task).where(Task.task_type == SCAN, Task.ended.is_(None))).all()


def test_a_folder_that_changes_after_its_announcement_hides_no_other_one(planning: World) -> None:
    admin = planning.admin()
    planning.library(admin)
    content = archive_of({"doom.exe": windows.program({})})
    for name in ("DOOM", "Hades"):
        planning.put(f"{name}/1.0.zip", content[:100])
    look(planning, admin)
    look(planning, admin, later=31)
    for number, name in enumerate(("DOOM", "Hades")):
        planning.put(f"{name}/1.0.zip", content)
        planning.put(f"New {number}/1.0/new", PROGRAM, mode=0o755)
        look(planning, admin, later=60)
        look(planning, admin, later=31)

    assert announced(planning, EventType.FOLDERS_FOUND, "folders") == ["['DOOM', 'Hades']", "['New 0']", "['New 1']"]


def test_a_rule_imports_what_could_not_be_read_at_first(planning: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = planning.admin()
    set_rules(admin, planning.library(admin), importGames=True)
    planning.put("DOOM/1.0/steam_appid.txt", b"379720")
    planning.put("DOOM/1.0/doom", PROGRAM, mode=0o755)

    def unreadable(*_: Any, **__: Any) -> Any:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(tasks, "state_of", unreadable)
        patch.setattr("playdock.features.bulk_import.folder_lookup.propose", unreadable)
        look(planning, admin)
        look(planning, admin, later=400)
        look(planning, admin, later=31)
        before = (planned(admin), list(imported(admin)))
    look(planning, admin, later=60)
    look(planning, admin, later=31)
    look(planning, admin, later=31)

    assert before == (["DOOM"], [])
    assert list(imported(admin)) == ["DOOM"]


def test_admins_are_told_of_a_folder_that_a_rule_could_not_import(
    planning: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = planning.admin()
    set_rules(admin, planning.library(admin), importGames=True)
    planning.put("DOOM/1.0/steam_appid.txt", b"379720")
    planning.put("DOOM/1.0/doom", PROGRAM, mode=0o755)
    monkeypatch.setattr(RunImports, "_prepare", fail)
    for _ in range(3):
        look(planning, admin, later=31)

    assert (planned(admin), imported(admin)) == (["DOOM"], {})
    assert announced(planning, EventType.FOLDERS_FOUND, "folders") == ["['DOOM']"]


def fail(*_: Any, **__: Any) -> None:
    raise TaskFailed("No metadata", Message("no-answer"))


def test_a_folder_is_announced_once_also_if_its_import_is_undone(planning: World) -> None:
    admin = planning.admin()
    planning.library(admin)
    planning.put("DOOM/1.0/doom", PROGRAM, mode=0o755)
    look(planning, admin)
    planning.put("DOOM/1.0/doom.wad", b"1")
    look(planning, admin, later=5)
    early = announced(planning, EventType.FOLDERS_FOUND, "folders")
    look(planning, admin, later=31)
    run = apply(planning, admin, atLeast=0)
    assert admin.delete(f"{RUN}/{run['id']}").is_success
    look(planning, admin, later=31)
    look(planning, admin, later=31)

    assert planned(admin) == ["DOOM"]
    assert (early, announced(planning, EventType.FOLDERS_FOUND, "folders")) == ([], ["['DOOM']"])


def test_admins_are_told_once_that_the_disk_of_a_managed_library_is_nearly_full(
    planning: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = planning.admin()
    libraries = [managed_library(admin), managed_library(admin)]
    write(libraries[0], "DOOM/1.0/doom")
    # Both are on one disk, which is not that of the data folder.
    monkeypatch.setattr(tasks, "device_of", lambda folder: int(folder.name != "data"))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(total=10**12, free=5))

    look(planning, admin)
    look(planning, admin, later=31)

    [reason] = announced(planning, EventType.DISK_LOW, "reason")
    assert "space-of-library-low" in reason


def test_a_damaged_new_version_is_imported_by_the_rule_once_it_is_complete(planning: World) -> None:
    admin = planning.admin()
    planning.put("DOOM/1.0/doom", PROGRAM, mode=0o755)
    library = planning.library(admin)
    game = planning.import_game(admin, library, "DOOM")
    assert planning.import_version(admin, game, "1.0", launch="doom")["success"]
    set_rules(admin, library, importVersions=True)
    whole = archive_of({"doom": PROGRAM, "doom.wad": bytes(1000)})
    planning.put("DOOM/1.1.zip", whole[:200])
    for _ in range(2):
        look(planning, admin, later=31)
    damaged = versions(admin, game)
    planning.put("DOOM/1.1.zip", whole)
    for later in (31, 31, 31):
        look(planning, admin, later=later)

    assert (damaged, versions(admin, game)) == (["1.0"], ["1.1.zip", "1.0"])
    # Of the damaged one, a person was told once.
    assert announced(planning, EventType.VERSION_FOUND) == ["1.1.zip"]
    assert announced(planning, EventType.VERSION_IMPORTED) == ["1.1.zip"]


def test_the_log_says_why_a_rule_imports_no_new_version(planning: World) -> None:
    admin = planning.admin()
    for version in ("1.0/doom", "1.1/other"):
        planning.put(f"DOOM/{version}", PROGRAM, mode=0o755)
    library = planning.library(admin)
    game = planning.import_game(admin, library, "DOOM")
    assert planning.import_version(admin, game, "1.0", launch="doom")["success"]
    set_rules(admin, library, importVersions=True)
    for _ in range(2):
        look(planning, admin, later=31)
    planning.put("DOOM/2.0/doom", PROGRAM, mode=0o755)
    shutil.rmtree(planning.games / "DOOM/1.0")
    for _ in range(2):
        look(planning, admin, later=31)

    with planning.services.db.read() as session:
        lines = session.scalars(select(TaskLogEntry).where(TaskLogEntry.code == "version-left-out")).all()
    reasons = {(line.parameters or {})["version"]: (line.parameters or {})["reason"] for line in lines}
    assert {version: reason["code"] for version, reason in reasons.items()} == {
        "DOOM 1.1": "version-without-program",
        "DOOM 2.0": "version-maybe-renamed",
    }
    assert versions(admin, game) == ["1.0"]
    assert left_out(admin) == {"1.1": "version-without-program", "2.0": "version-maybe-renamed"}

    # Of the other one, the administrators are told by the missing version.
    assert announced(planning, EventType.VERSION_FOUND) == ["1.1"]
    # It was not renamed, so that the rule is applied again.
    planning.put("DOOM/1.0/doom", PROGRAM, mode=0o755)
    for later in (31, 31, 61):
        look(planning, admin, later=later)
    wait_until(lambda: versions(admin, game) == ["2.0", "1.0"])
    assert left_out(admin) == {"1.1": "version-without-program"}
    assert announced(planning, EventType.VERSION_IMPORTED) == ["2.0"]


def test_a_library_that_comes_and_goes_is_told_of_once_an_hour(planning: World) -> None:
    admin = planning.admin()
    planning.put("DOOM/1.0/doom", PROGRAM, mode=0o755)
    planning.library(admin)
    look(planning, admin)
    away = planning.folder / "away"

    def is_away_for(seconds: int) -> list[str]:
        planning.games.rename(away)
        look(planning, admin, later=seconds)
        away.rename(planning.games)
        look(planning, admin, later=31)
        return announced(planning, EventType.LIBRARY_UNAVAILABLE, "libraryName")

    assert [len(is_away_for(seconds)) for seconds in (31, 31, 3600, 31)] == [1, 1, 2, 2]


def test_the_page_says_why_new_versions_were_not_imported(planning: World) -> None:
    admin = planning.admin()
    planning.put("DOOM/1.0/doom", PROGRAM, mode=0o755)
    library = planning.library(admin)
    game = planning.import_game(admin, library, "DOOM")
    assert planning.import_version(admin, game, "1.0", launch="doom")["success"]
    planning.put("DOOM/1.1/readme.txt")
    planning.put("DOOM/1.2/doom", PROGRAM, mode=0o755)
    planning.put("DOOM/1.2/back\\slash")
    for _ in range(2):
        look(planning, admin, later=31)
    assert left_out(admin) == {}

    planning.finish(admin, admin.post("/api/v1/admin/import/version/new").json()["taskId"])
    for each in admin.get("/api/v1/admin/task").json()["runningTasks"]:
        planning.finish(admin, each["id"])
    assert left_out(admin) == {"1.1": "version-unusable", "1.2": "path-unsafe"}

    # What was said of the files before they have changed is not shown any more.
    planning.put("DOOM/1.1/doom", PROGRAM, mode=0o755)
    for _ in range(2):
        look(planning, admin, later=HALF_AN_HOUR)
    assert left_out(admin) == {"1.2": "path-unsafe"}
    (planning.games / "DOOM/1.2/back\\slash").unlink()
    for _ in range(2):
        look(planning, admin, later=HALF_AN_HOUR)
    assert left_out(admin) == {}


@pytest.mark.parametrize("recovers", [True, False])
def test_rules_ask_providers_again_and_then_a_person(planning: World, shop: FakeProvider, *, recovers: bool) -> None:
    admin = planning.admin()
    shop.fault = "It is down."
    planning.put("DOOM (steam-379720)/1.0/doom", PROGRAM, mode=0o755)
    set_rules(admin, planning.library(admin), importGames=True)
    for later in (0, 31, 31):
        look(planning, admin, later=later)
    waiting = (imported(admin), announced(planning, EventType.FOLDERS_FOUND, "folders"))
    asked = len(shop.searched)
    look(planning, admin, later=60)
    assert (waiting, len(shop.searched)) == (({}, []), asked)

    if recovers:
        shop.fault = ""
    look(planning, admin, later=HALF_AN_HOUR)
    look(planning, admin, later=31)
    assert list(imported(admin)) == (["DOOM (steam-379720)"] if recovers else [])

    look(planning, admin, later=3600)
    shop.fault = ""
    for later in (31, HALF_AN_HOUR):
        look(planning, admin, later=later)
    told = announced(planning, EventType.FOLDERS_FOUND, "folders")
    assert told == ([] if recovers else ["['DOOM (steam-379720)']"])
    assert list(imported(admin)) == (["DOOM (steam-379720)"] if recovers else [])


def test_a_version_whose_import_by_a_rule_has_failed_is_imported_once_it_is_repaired(planning: World) -> None:
    admin = planning.admin()
    planning.put("DOOM/1.0/doom", PROGRAM, mode=0o755)
    library = planning.library(admin)
    game = planning.import_game(admin, library, "DOOM")
    assert planning.import_version(admin, game, "1.0", launch="doom")["success"]
    set_rules(admin, library, importVersions=True)
    whole = archive_of({"doom": PROGRAM, "doom.wad": b"levels" * 100})
    planning.put("DOOM/1.1.zip", whole.replace(b"levels", b"Levels", 1))
    for _ in range(2):
        look(planning, admin, later=31)
    failed = versions(admin, game)
    planning.put("DOOM/1.1.zip", whole)
    for later in (HALF_AN_HOUR, 31, 31):
        look(planning, admin, later=later)
    assert (failed, versions(admin, game)) == (["1.0"], ["1.1.zip", "1.0"])
