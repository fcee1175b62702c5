"""Scans: what is new in libraries, and what their rules import."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from library_files import delete_game, done, doom
from plans import PROGRAM, imported
from playdock.domain.events.rules import EventType
from playdock.features.library_scans import watching
from playdock.features.library_scans.watching import LibraryWatcher
from playdock.features.version_import.service import VersionImports
from playdock.kit.clock import utc_now
from playdock.kit.identifiers import new_id
from playdock.models import FoundVersion, Game, Version
from scanning import announced, look, looks, planned, set_rules, versions
from spoiling import damaged_files
from waiting import wait_until
from world import World

AUTOMATIC = "/api/v1/admin/import/automatic"


def test_a_new_folder_is_planned_when_its_files_have_been_unchanged_for_a_while(
    planning: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a slow machine, more time passes between the scans than is left here.
    now = utc_now()
    monkeypatch.setattr("world.utc_now", lambda: now)
    admin = planning.admin()
    planning.library(admin)
    planning.put("DOOM/1.0/steam_appid.txt", b"379720")

    look(planning, admin)
    copying = planned(admin)
    look(planning, admin, later=3)
    planning.put("DOOM/1.0/DOOM.x86_64", PROGRAM, mode=0o755)
    look(planning, admin, later=3)
    still_copying = planned(admin)
    look(planning, admin, later=5)

    assert (copying, still_copying, planned(admin)) == ([], [], ["DOOM"])
    assert imported(admin) == {}


def test_new_versions_of_known_games_are_imported_by_a_rule_once(planning: World) -> None:
    admin = planning.admin()
    for version in ("1.0/doom", "1.1/doom", "2.0/other"):
        planning.put(f"DOOM/{version}", PROGRAM, mode=0o755)
    library = planning.library(admin)
    game = planning.import_game(admin, library, "DOOM")
    assert planning.import_version(admin, game, "1.0", launch="doom")["success"]
    set_rules(admin, library, importVersions=True)

    look(planning, admin)
    assert versions(admin, game) == ["1.0"]
    look(planning, admin, later=31)

    assert versions(admin, game) == ["1.1", "1.0"]
    assert announced(planning, EventType.VERSION_ADDED) == ["1.1"]
    assert announced(planning, EventType.VERSION_IMPORTED) == ["1.1"]
    (found,) = admin.get(AUTOMATIC).json()
    assert (found["gameId"], found["version"], found["undone"]) == (game, "1.1", None)
    assert admin.delete(f"{AUTOMATIC}/{found['id']}").status_code == 204
    assert admin.delete(f"{AUTOMATIC}/{found['id']}").json()["type"] == "automatic-import-undone"
    look(planning, admin, later=31)
    assert versions(admin, game) == ["1.0"]
    assert announced(planning, EventType.VERSION_FOUND) == ["2.0"]
    assert admin.get(AUTOMATIC).json()[0]["undone"]


def test_a_rule_imports_only_newer_versions_and_the_newest_last(planning: World) -> None:
    admin = planning.admin()
    for version in ("1.8", "1.0", "1.10", "1.9"):
        planning.put(f"DOOM/{version}/doom", PROGRAM, mode=0o755)
    library = planning.library(admin)
    game = planning.import_game(admin, library, "DOOM")
    assert planning.import_version(admin, game, "1.8", launch="doom")["success"]
    set_rules(admin, library, importVersions=True)

    for later in (0, 31, 31, 31):
        look(planning, admin, later=later)

    assert versions(admin, game) == ["1.10", "1.9", "1.8"]
    assert announced(planning, EventType.VERSION_ADDED) == ["1.9", "1.10"]


def test_a_version_that_somebody_imports_is_not_offered_or_overtaken(
    planning: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = planning.admin()
    for version in ("1.0", "1.1", "1.2"):
        planning.put(f"DOOM/{version}/doom", PROGRAM, mode=0o755)
    library = planning.library(admin)
    game = planning.import_game(admin, library, "DOOM")
    assert planning.import_version(admin, game, "1.0", launch="doom")["success"]
    set_rules(admin, library, importVersions=True)
    look(planning, admin)
    # Somebody imports a version, which takes a while.
    monkeypatch.setattr(VersionImports, "games_being_imported", lambda _self: {game})
    look(planning, admin, later=31)
    assert (versions(admin, game), announced(planning, EventType.VERSION_FOUND)) == (["1.0"], [])
    assert planning.import_version(admin, game, "1.1", launch="doom")["success"]
    monkeypatch.undo()

    look(planning, admin, later=61)
    look(planning, admin, later=61)

    assert versions(admin, game) == ["1.2", "1.1", "1.0"]
    assert announced(planning, EventType.VERSION_IMPORTED) == ["1.2"]
    assert announced(planning, EventType.VERSION_FOUND) == []


def test_a_rule_compares_a_version_with_the_newest_one_for_its_platform(planning: World) -> None:
    admin = planning.admin()
    for version in ("1.0/doom", "2.0/doom.exe", "1.1/doom"):
        planning.put(f"DOOM/{version}", PROGRAM, mode=0o755)
    library = planning.library(admin)
    game = planning.import_game(admin, library, "DOOM")
    assert planning.import_version(admin, game, "1.0", launch="doom")["success"]
    assert planning.import_version(admin, game, "2.0", launch="doom.exe", platform="Windows")["success"]
    set_rules(admin, library, importVersions=True)

    look(planning, admin)
    look(planning, admin, later=31)

    assert versions(admin, game) == ["2.0", "1.1", "1.0"]


@pytest.mark.parametrize("rule", [True, False])
def test_ignored_versions_are_neither_imported_nor_announced(planning: World, *, rule: bool) -> None:
    admin = planning.admin()
    for path in ("DOOM/1.0", "DOOM/1.1", "Quake/1.0"):
        planning.put(f"{path}/doom", PROGRAM, mode=0o755)
    library = planning.library(admin)
    game = planning.import_game(admin, library, "DOOM")
    assert planning.import_version(admin, game, "1.0", launch="doom")["success"]
    ignored = ["DOOM/1.1", "Quake/1.0"]
    set_rules(admin, library, importGames=rule, importVersions=rule, ignore=ignored)
    for later in (0, 31, 31):
        look(planning, admin, later=later)

    assert (versions(admin, game), list(imported(admin)), planned(admin)) == (["1.0"], ["DOOM"], [])
    told = [announced(planning, each) for each in (EventType.VERSION_FOUND, EventType.FOLDERS_FOUND)]
    assert told == [[], []]

    planning.put("Quake/1.1/quake", PROGRAM, mode=0o755)
    for later in (0, 31, 31):
        look(planning, admin, later=later)
    assert (list(imported(admin)) if rule else planned(admin))[-1] == "Quake"


def test_a_renamed_version_is_not_imported_twice(planning: World) -> None:
    admin = planning.admin()
    planning.put("DOOM/1.0/doom", PROGRAM, mode=0o755)
    library = planning.library(admin)
    game = planning.import_game(admin, library, "DOOM")
    assert planning.import_version(admin, game, "1.0", launch="doom")["success"]
    set_rules(admin, library, importVersions=True)
    (planning.games / "DOOM/1.0").rename(planning.games / "DOOM/old")

    look(planning, admin)
    look(planning, admin, later=31)

    assert versions(admin, game) == ["1.0"]


def test_recognized_games_are_imported_by_a_rule_and_the_run_can_be_undone(planning: World) -> None:
    admin = planning.admin()
    library = planning.library(admin)
    set_rules(admin, library, importGames=True, ignore=["*.part", "quake"])
    planning.put("DOOM (steam-379720)/1.0/DOOM.x86_64", PROGRAM, mode=0o755)
    planning.put("Unheard Of/1.0/game", PROGRAM, mode=0o755)
    planning.put("Quake (steam-2310).part/1.0/quake", PROGRAM, mode=0o755)
    planning.put("Quake/1.0/steam_appid.txt", b"2310")

    look(planning, admin)
    look(planning, admin, later=31)
    look(planning, admin, later=11)

    assert list(imported(admin)) == ["DOOM (steam-379720)"]
    assert planned(admin) == ["Unheard Of"]
    (run,) = admin.get("/api/v1/admin/import/run").json()
    assert run["automatic"]
    assert admin.delete(f"/api/v1/admin/import/run/{run['id']}").status_code == 204
    look(planning, admin, later=31)
    look(planning, admin, later=31)
    assert imported(admin) == {}
    assert planned(admin) == ["DOOM (steam-379720)", "Unheard Of"]


@pytest.mark.parametrize("away", ["empty", "gone"])
def test_a_library_whose_disk_is_away_loses_nothing(planning: World, away: str) -> None:
    admin = planning.admin()
    planning.put("DOOM/1.0/doom", PROGRAM, mode=0o755)
    planning.put("Hades/1.0/hades", PROGRAM, mode=0o755)
    library = planning.library(admin)
    game = planning.import_game(admin, library, "DOOM")
    assert planning.import_version(admin, game, "1.0", launch="doom")["success"]
    set_rules(admin, library, importVersions=True)
    look(planning, admin)
    look(planning, admin, later=31)
    before = planned(admin)
    planning.games.rename(planning.folder / "unmounted")
    if away == "empty":
        planning.games.mkdir()

    look(planning, admin)
    look(planning, admin)
    told = announced(planning, EventType.LIBRARY_UNAVAILABLE, "libraryName")
    folders = admin.get("/api/v1/admin/games/folders").json()
    during = planned(admin)
    if away == "empty":
        planning.games.rmdir()
    (planning.folder / "unmounted").rename(planning.games)
    look(planning, admin, later=31)
    look(planning, admin, later=31)

    assert before == during == planned(admin) == ["Hades"]
    assert told == [library["name"]]
    assert [each["unimportedVersions"] for each in folders] == [[]]
    assert versions(admin, game) == ["1.0"]


def test_a_managed_library_is_not_taken_for_away_when_its_last_game_is_deleted(planning: World) -> None:
    admin = planning.admin()
    _, game = doom(planning, admin, "1.0")
    look(planning, admin)
    assert done(planning, admin, delete_game(admin, game))["success"]
    look(planning, admin)
    assert announced(planning, EventType.LIBRARY_UNAVAILABLE, "libraryName") == []
    assert planned(admin) == []


def test_a_share_that_comes_and_goes_is_reported_once_a_day(planning: World) -> None:
    admin = planning.admin()
    planning.put("DOOM/1.0/doom", PROGRAM, mode=0o755)
    planning.library(admin)
    away = planning.folder / "unmounted"
    for later, expected in ((0, 1), (60, 1), (24 * 3600, 2)):
        planning.clock.advance(seconds=later)
        admin = planning.with_token(planning.sign_in("ada").json()["accessToken"])
        look(planning, admin)
        planning.games.rename(away)
        look(planning, admin)
        away.rename(planning.games)
        assert len(announced(planning, EventType.LIBRARY_UNAVAILABLE, "libraryName")) == expected


def test_folders_that_were_removed_leave_the_plan(planning: World) -> None:
    admin = planning.admin()
    planning.library(admin)
    for game in ("DOOM", "Hades"):
        planning.put(f"{game}/1.0/program", PROGRAM, mode=0o755)
    look(planning, admin)
    look(planning, admin, later=31)
    assert planned(admin) == ["DOOM", "Hades"]
    (planning.games / "DOOM").rename(planning.games / "Doom 2016")

    look(planning, admin)
    look(planning, admin, later=31)

    assert planned(admin) == ["Doom 2016", "Hades"]


def test_a_watcher_requests_a_scan_when_a_folder_appears(planning: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = planning.admin()
    planning.library(admin)
    monkeypatch.setattr(watching, "_START_SECONDS", 0.0)
    services = planning.services
    watcher = LibraryWatcher(services.library_scans, services.node_registry.worker_id)
    monkeypatch.setattr(services.settings, "watch_libraries", True)
    watcher.start()
    try:
        wait_until(lambda: looks(planning)[0] >= 1 and not looks(planning)[1])
        before = looks(planning)[0]
        planning.put("DOOM/1.0/steam_appid.txt", b"379720")
        wait_until(lambda: looks(planning)[0] > before and not looks(planning)[1])
        planning.clock.advance(seconds=31)
        wait_until(lambda: planned(admin) == ["DOOM"])
    finally:
        watcher.close()


def test_what_waits_for_another_reason_does_not_hide_the_next_deadline(planning: World) -> None:
    admin = planning.admin()
    library = planning.library(admin)
    now = planning.clock()
    found = {"Hades": timedelta(hours=2), "Doom": timedelta(minutes=30), "Quake": timedelta(minutes=10)}
    with planning.services.db.write() as session:
        for path, age in found.items():
            row = {"id": new_id(), "library_id": library["id"], "path": path, "version": "1.0", "seen": now - age}
            session.add(FoundVersion(**row, fingerprint="", changed=now - age, checked=now - age, due=None))
    assert planning.services.library_scans.provider_deadline() == now + timedelta(minutes=15)


def test_what_was_imported_while_it_was_copied_is_verified_once_it_is_complete(planning: World) -> None:
    admin = planning.admin()
    library = planning.library(admin)
    for game in ("Doom", "Quake"):
        planning.put(f"{game}/1.0/start", PROGRAM, mode=0o755)
    look(planning, admin)
    for game in ("Doom", "Quake"):
        game_id = planning.import_game(admin, library, game)
        assert planning.import_version(admin, game_id, "1.0", launch="start")["success"]
    planning.put("Doom/1.0/levels", b"x")
    for later in (3, 31, 31):
        look(planning, admin, later=later)
    assert damaged_files(admin) == [("levels", "added")]
    assert announced(planning, EventType.FILES_ADDED) == ["1.0"]
    with planning.services.db.read() as session:
        verified = session.scalars(select(Version.verified).join(Game).order_by(Game.path)).all()
    assert [each is not None for each in verified] == [True, False]
