"""Files of imported versions that change: scans notice that, and verify the versions."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import select

from plans import PROGRAM, imported
from playdock.domain.events.rules import EventType
from playdock.features.library_scans import tasks
from playdock.features.library_scans.service import SCAN
from playdock.models import Task
from playdock.storage.folder_state import state_of
from playdock.storage.locations import VersionLocation
from scanning import HALF_AN_HOUR, SOURCES, announced, look, set_rules, versions
from spoiling import verify_all
from storage import windows
from world import Caller, World

DAMAGE = "/api/v1/admin/damage"


def faults(admin: Caller) -> dict[str, str]:
    return {file["path"]: file["fault"] for each in admin.get(DAMAGE).json() for file in each["files"]}


def verifications(world: World) -> int:
    with world.services.db.read() as session:
        return len(session.scalars(select(Task).where(Task.task_type == "verify:version")).all())


def doom_played(world: World, *, rules: bool = False) -> tuple[Caller, str]:
    """A game with an imported version that scans have looked at; with ``rules``, imported by these."""
    admin = world.admin()
    world.put("DOOM/1.0/steam_appid.txt", b"379720")
    world.put("DOOM/1.0/doom", PROGRAM, mode=0o755)
    library = world.library(admin)
    if rules:
        set_rules(admin, library, importGames=True)
        for _ in range(3):
            look(world, admin, later=31)
        game = imported(admin)["DOOM"]["id"]
    else:
        game = world.import_game(admin, library, "DOOM")
        assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    for _ in range(2):
        look(world, admin, later=HALF_AN_HOUR)
    assert (faults(admin), versions(admin, game), verifications(world)) == ({}, ["1.0"], 0)
    return admin, game


@pytest.mark.parametrize("rules", [False, True])
def test_files_that_change_after_their_import_are_verified_once_they_are_complete(
    planning: World, *, rules: bool
) -> None:
    admin, game = doom_played(planning, rules=rules)
    planning.put("DOOM/1.0/doom", PROGRAM + b"# 1.0.1", mode=0o755)
    planning.put("DOOM/1.0/data/new.wad", b"new")

    look(planning, admin, later=60)
    too_soon = verifications(planning)
    look(planning, admin, later=HALF_AN_HOUR)
    copying = verifications(planning)
    for _ in range(3):
        look(planning, admin, later=HALF_AN_HOUR)

    assert (too_soon, copying, verifications(planning)) == (0, 0, 1)
    assert faults(admin) == {"doom": "changed", "data/new.wad": "added"}
    assert announced(planning, EventType.VERSION_DAMAGED) == ["1.0"]
    assert announced(planning, EventType.VERSION_FOUND) == []
    [version] = admin.get(f"/api/v1/admin/game/{game}").json()["versions"]
    again = admin.post(f"/api/v1/admin/version/{version['id']}/import").json()
    assert planning.finish(admin, again["taskId"])["success"]
    for _ in range(2):
        look(planning, admin, later=HALF_AN_HOUR)
    assert (faults(admin), verifications(planning), versions(admin, game)) == ({}, 1, ["1.0"])


def test_changed_files_are_confirmed_by_a_scan_five_minutes_later(planning: World) -> None:
    admin, _ = doom_played(planning)
    planning.put("DOOM/1.0/doom", PROGRAM + b"# 1.0.1", mode=0o755)
    look(planning, admin, later=601)
    assert minutes_to_next_scan(planning) == 5
    # Copying may have paused.
    look(planning, admin, later=60)
    assert verifications(planning) == 0
    look(planning, admin, later=301)
    assert (faults(admin), verifications(planning)) == ({"doom": "changed"}, 1)


def test_all_versions_are_looked_at_although_one_is_changed_all_the_time(
    planning: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, _ = doom_played(planning)
    for name in ("Abuse", "Zork"):
        planning.put(f"{name}/1.0/start", PROGRAM, mode=0o755)
        game = planning.import_game(admin, admin.get(SOURCES).json()[0], name)
        assert planning.import_version(admin, game, "1.0", launch="start")["success"]
    for _ in range(3):
        look(planning, admin, later=601)
    # Each scan has time for one version.
    monkeypatch.setattr(tasks, "_CHECK_SECONDS", -1)
    for name in ("Abuse", "Zork"):
        planning.put(f"{name}/1.0/start", PROGRAM + b"# 1.0.1", mode=0o755)
    for number in range(12):
        planning.put("DOOM/1.0/server.log", b"line\n" * number)
        look(planning, admin, later=601)
    assert {each["game"]["name"] for each in admin.get(DAMAGE).json()} == {"Abuse", "Zork"}


def minutes_to_next_scan(world: World) -> int | None:
    """Return when the scan that has just run is continued, None if it has ended."""
    newest = select(Task).where(Task.task_type == SCAN).order_by(Task.created.desc()).limit(1)
    with world.services.db.read() as session:
        scan = session.scalars(newest).one()
        return None if scan.ended else round((scan.due - world.clock()).total_seconds() / 60)


def test_files_that_were_only_added_are_told_but_are_no_damage(planning: World) -> None:
    admin, game = doom_played(planning)
    planning.put("DOOM/1.0/expansion.wad", b"new")

    for _ in range(2):
        look(planning, admin, later=HALF_AN_HOUR)

    assert faults(admin) == {"expansion.wad": "added"}
    assert announced(planning, EventType.FILES_ADDED) == ["1.0"]
    assert announced(planning, EventType.VERSION_DAMAGED) == []
    [version] = admin.get(f"/api/v1/games/{game}/versions").json()
    assert version["damaged"] is None


def test_a_library_that_was_copied_to_another_disk_with_its_times_is_not_verified(planning: World) -> None:
    admin, _ = doom_played(planning)
    game = planning.games / "DOOM"
    shutil.copytree(game, planning.games.parent / "copy")
    shutil.rmtree(game)
    (planning.games.parent / "copy").rename(game)

    for _ in range(2):
        look(planning, admin, later=HALF_AN_HOUR)

    assert (faults(admin), verifications(planning)) == ({}, 0)


def test_a_game_that_is_gone_is_told_once_and_is_well_again_when_it_is_back(planning: World) -> None:
    admin, game = doom_played(planning)
    planning.put("Quake/1.0/quake", PROGRAM, mode=0o755)
    look(planning, admin, later=HALF_AN_HOUR)
    away = (planning.games / "DOOM").rename(planning.folder / "away")

    for _ in range(3):
        look(planning, admin, later=HALF_AN_HOUR)

    assert set(faults(admin).values()) == {"missing"}
    assert (announced(planning, EventType.VERSION_MISSING), verifications(planning)) == (["1.0"], 1)
    assert announced(planning, EventType.VERSION_DAMAGED) == []
    [lost] = admin.get("/api/v1/admin/import/moved").json()
    assert (lost["game"]["id"], lost["candidates"]) == (game, [])

    away.rename(planning.games / "DOOM")
    for _ in range(2):
        look(planning, admin, later=HALF_AN_HOUR)
    assert (faults(admin), verifications(planning), versions(admin, game)) == ({}, 2, ["1.0"])
    assert admin.get("/api/v1/admin/import/moved").json() == []


def test_nothing_is_verified_when_all_games_are_gone_at_once(planning: World) -> None:
    admin, _ = doom_played(planning)
    (planning.games / "DOOM").rename(planning.folder / "away")

    for _ in range(2):
        look(planning, admin, later=HALF_AN_HOUR)

    assert (faults(admin), verifications(planning)) == ({}, 0)


def test_files_that_cannot_be_read_any_more_are_left_to_the_scheduled_verification(
    planning: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, _ = doom_played(planning)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(tasks, "state_of", refuse)
        look(planning, admin, later=HALF_AN_HOUR)
    look(planning, admin, later=HALF_AN_HOUR)

    assert (faults(admin), verifications(planning)) == ({}, 0)


def test_what_is_changed_again_and_again_is_not_verified_and_keeps_no_scan_waiting(planning: World) -> None:
    admin, _ = doom_played(planning)
    waits = []
    for number in range(4):
        planning.put("DOOM/1.0/server.log", b"line\n" * (number + 1))
        look(planning, admin, later=HALF_AN_HOUR)
        waits.append(minutes_to_next_scan(planning))
    assert (waits, verifications(planning)) == ([5, None, None, None], 0)


def test_a_version_is_verified_at_most_once_a_day(planning: World) -> None:
    admin, _ = doom_played(planning)
    for size in (1, 2):
        planning.put("DOOM/1.0/doom", PROGRAM + bytes(size), mode=0o755)
        for _ in range(3):
            look(planning, admin, later=HALF_AN_HOUR)
        assert verifications(planning) == 1
    planning.clock.advance(days=1)
    look(planning, planning.with_token(planning.sign_in("ada").json()["accessToken"]))
    assert verifications(planning) == 2


def test_added_files_neither_hide_damage_nor_keep_it_from_being_announced(planning: World) -> None:
    admin, game = doom_played(planning)
    for number in range(101):
        planning.put(f"DOOM/1.0/data/{number:03}", b"new")
    verify_all(planning, admin)
    assert announced(planning, EventType.VERSION_DAMAGED) == []

    planning.put("DOOM/1.0/doom", PROGRAM + b"changed", mode=0o755)
    for _ in range(2):
        verify_all(planning, admin)

    assert (len(faults(admin)), faults(admin)["doom"]) == (100, "changed")
    assert (announced(planning, EventType.VERSION_DAMAGED), announced(planning, EventType.FILES_ADDED)) == (
        ["1.0"],
        ["1.0"],
    )
    [version] = admin.get(f"/api/v1/games/{game}/versions").json()
    assert version["damaged"]


def test_the_state_of_an_installer_is_that_of_all_its_files(tmp_path: Path) -> None:
    (tmp_path / "setup_doom.exe").write_bytes(windows.program({}))
    (tmp_path / "setup_doom-1.bin").write_bytes(b"1")
    (tmp_path / "setup_quake-1.bin").write_bytes(b"1")

    def state() -> str:
        return state_of(VersionLocation(tmp_path, "setup_doom.exe"), check=lambda: None).fingerprint

    first = state()
    (tmp_path / "setup_quake-1.bin").write_bytes(b"12")
    other = state()
    (tmp_path / "setup_doom-1.bin").write_bytes(b"12")
    assert (other, state() == first) == (first, False)


def test_a_version_that_was_undone_and_imported_again_is_not_verified_with_each_scan(planning: World) -> None:
    admin, game = doom_played(planning)
    set_rules(admin, admin.get("/api/v1/admin/library/sources").json()[0], importVersions=True)
    planning.put("DOOM/1.1/doom", PROGRAM, mode=0o755)
    for _ in range(2):
        look(planning, admin, later=HALF_AN_HOUR)
    [automatic] = admin.get("/api/v1/admin/import/automatic").json()
    assert admin.delete(f"/api/v1/admin/import/automatic/{automatic['id']}").status_code == 204
    assert planning.import_version(admin, game, "1.1", launch="doom")["success"]
    shutil.rmtree(planning.games / "DOOM/1.1")

    counts = []
    for number in range(3):
        # Something else is gone with each scan.
        shutil.rmtree(planning.games / f"Quake {number - 1}", ignore_errors=True)
        planning.put(f"Quake {number}/1.0/quake")
        look(planning, admin, later=HALF_AN_HOUR)
        counts.append(verifications(planning))

    assert counts == [counts[0]] * 3
