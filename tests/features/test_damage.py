"""Damage: what is not in the library any more as it was imported is found, told, and forgotten when it is mended."""

import os
import shutil
import threading
import zipfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from audit import told_of
from games import Release, add_game
from playdock.content.damage import FileProblem
from playdock.domain.games import queries as game_queries
from playdock.domain.games.queries import move_game
from playdock.features.damage import queries, tasks
from playdock.kit.messages import Message
from playdock.metadata.game_metadata import GameMetadata
from spoiling import DAMAGE, add_version, corrupt_file, damaged_files, make_revision, stand, verify_all, version_of
from versions_to_import import pack
from world import Caller, World, at_once

UNKNOWN = "00000000-0000-0000-0000-000000000000"


def lay(world: World) -> Path:
    """A version with a large file and two small ones, beside a game that stays."""
    world.put("Other/1.0/start")
    world.put("Doom/1.0/doom", b"#!/bin/sh", mode=0o755)
    world.put("Doom/1.0/doom.wad", os.urandom(300_000))
    return world.put("Doom/1.0/data/level", b"level").parents[1]


def is_corrupted(caller: Caller, game: str) -> bool:
    return version_of(caller, game)["damaged"] is not None


def test_an_unchanged_version_has_no_damage(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    task = verify_all(world, admin)
    assert (admin.get(DAMAGE).json(), is_corrupted(admin, game), task["progress"]) == ([], False, 100)


@pytest.mark.parametrize("name", ["doom.wad", "data/level"])
@pytest.mark.parametrize(("corrupt", "fault"), [(corrupt_file, "rot"), (os.utime, "changed"), (os.unlink, "missing")])
def test_damage_is_reported_per_file(world: World, name: str, corrupt: Callable[[Path], object], fault: str) -> None:
    version = lay(world)
    admin, game = stand(world, "1.0")
    corrupt(version / name)

    log = "".join(verify_all(world, admin)["log"])

    [found] = admin.get(DAMAGE).json()
    assert (found["game"], found["version"]["name"]) == ({"id": game, "name": "Doom"}, "1.0")
    assert damaged_files(admin) == [(name, fault)]
    assert version_of(world.person(), game)["damaged"] == found["files"][0]["found"]
    assert Message("file-damaged", version="Doom 1.0", file=name, fault=Message(f"damage-{fault}")) in log
    assert f'"code":"damage-{fault}"' in log


def test_a_restored_file_is_no_longer_reported_as_damaged(world: World) -> None:
    version = lay(world)
    admin, game = stand(world, "1.0")
    (version / "data").rename(world.games / "away")
    corrupt_file(version / "doom.wad")
    verify_all(world, admin)
    assert damaged_files(admin) == [("data/level", "missing"), ("doom.wad", "rot")]

    (world.games / "away").rename(version / "data")
    verify_all(world, admin)
    half_repaired = damaged_files(admin), is_corrupted(admin, game)
    corrupt_file(version / "doom.wad")
    verify_all(world, admin)

    assert half_repaired == ([("doom.wad", "rot")], True)
    assert (damaged_files(admin), is_corrupted(admin, game)) == ([], False)


def test_a_different_problem_replaces_the_reported_one(world: World) -> None:
    version = lay(world)
    admin, _ = stand(world, "1.0")
    corrupt_file(version / "doom.wad")
    verify_all(world, admin)
    (version / "doom.wad").unlink()
    verify_all(world, admin)
    assert damaged_files(admin) == [("doom.wad", "missing")]


def test_a_corrupted_archive_is_found(world: World) -> None:
    archive = pack(world.games / "Doom/1.0.zip", {"doom": b"#!/bin/sh", "wad": os.urandom(100_000)})
    admin, _ = stand(world, "1.0.zip")
    corrupt_file(archive, at=50_000)
    verify_all(world, admin)
    assert damaged_files(admin) == [("wad", "rot")]


def test_an_archive_without_its_directory_is_entirely_unreadable(world: World) -> None:
    archive = pack(world.games / "Doom/1.0.zip", {"doom": b"#!/bin/sh"}, method=zipfile.ZIP_STORED)
    admin, _ = stand(world, "1.0.zip")
    archive.write_bytes(archive.read_bytes()[:40])
    verify_all(world, admin)
    assert damaged_files(admin) == [("", "unreadable")]
    assert [each["missing"] for each in admin.get("/api/v1/admin/damage").json()] == [False]


@pytest.mark.parametrize("gone", ["Doom", "Doom/1.0"])
def test_a_version_without_its_folder_is_entirely_missing(world: World, gone: str) -> None:
    lay(world)
    admin, _ = stand(world, "1.0")
    shutil.rmtree(world.games / gone)
    verify_all(world, admin)
    assert damaged_files(admin) == [("", "missing")]
    assert [each["missing"] for each in admin.get("/api/v1/admin/damage").json()] == [True]


@pytest.mark.parametrize("mounted", [True, False])
def test_an_unavailable_library_is_not_damage(world: World, mounted: bool) -> None:  # noqa: FBT001
    """Whether nothing is left, or the empty folder that its disk was mounted on."""
    lay(world)
    admin, game = stand(world, "1.0")
    world.games.rename(world.folder / "away")
    if mounted:
        world.games.mkdir()

    task = verify_all(world, admin)

    assert (damaged_files(admin), is_corrupted(admin, game)) == ([], False)
    assert "Skipped Doom 1.0. The game folder" in "".join(task["log"])
    assert str(world.folder) not in "".join(task["log"])


def test_versions_are_verified_in_batches_the_least_recently_verified_first(world: World) -> None:
    games = [add_game(world, GameMetadata(name), versions=[Release(), Release("2.0")]) for name in ("Doom", "Quake")]
    now = world.clock()
    with world.services.db.write() as session:
        versions = [version.id for game in games for version in game_queries.versions_of(session, game)]
        for days, version in ((2, versions[0]), (1, versions[1])):
            game_queries.change_version(session, version, {"verified": now - timedelta(days=days)})

    found, after = [], None
    with world.services.db.read() as session:
        while batch := queries.unverified(session, since=now, after=after, limit=3 if after else 1):
            after = batch[-1]
            found += [version.id for version in batch]

    assert found == [*sorted(versions[2:]), *versions[:2]]


def test_versions_that_cannot_be_verified_are_skipped_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "_BATCH_VERSIONS", 1)
    admin = world.admin()
    add_game(world, GameMetadata("Doom"), versions=[Release(), Release("2.0")])

    log = "".join(verify_all(world, admin)["log"])

    assert (log.count("Skipped Doom 1.0."), log.count("Skipped Doom 2.0.")) == (1, 1)


def test_a_library_that_becomes_unavailable_during_verification_is_not_damage(world: World) -> None:
    lay(world)
    admin, _ = stand(world, "1.0")

    def unmount(opened: object) -> None:
        if str(opened) == str(world.games) and threading.current_thread().name.startswith("tasks"):
            world.games.rename(world.folder / "away")

    with told_of("open", unmount):
        log = "".join(verify_all(world, admin)["log"])

    assert (damaged_files(admin), "Skipped Doom 1.0." in log) == ([], True)


def test_a_game_moved_during_verification_is_not_damage(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    library = admin.get("/api/v1/admin/library/sources").json()[0]["id"]

    def move_away(opened: object) -> None:
        is_task = threading.current_thread().name.startswith("tasks")
        if str(opened) == str(world.games) and is_task and (world.games / "Doom").exists():
            (world.games / "Doom").rename(world.games / "Doom (1993)")
            with world.services.db.write() as session:
                move_game(session, game, library_id=library, path="Doom (1993)", layout=None)

    with told_of("open", move_away):
        log = "".join(verify_all(world, admin)["log"])

    assert (damaged_files(admin), "entire folder or archive: missing" in log) == ([], True), log


def while_it_is_read(call: Callable[[], None]) -> AbstractContextManager[None]:
    """Do something once, when the file doom.wad is read again."""
    done = threading.Event()

    def receive_request(opened: object) -> None:
        reading = threading.current_thread().name.startswith("ingest")
        if str(opened) == "doom.wad" and reading and not done.is_set():
            done.set()
            call()

    return told_of("open", receive_request)


def test_a_version_reimported_during_verification_is_not_damage(world: World) -> None:
    version = lay(world)
    admin, game = stand(world, "1.0")
    corrupt_file(version / "doom")
    with while_it_is_read(lambda: make_revision(world, version_of(admin, game)["id"])):
        log = "".join(verify_all(world, admin)["log"])
    assert (damaged_files(admin), "doom: corrupted" in log) == ([], True)


def test_damage_reported_during_verification_is_kept(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    met = (version_of(admin, game)["id"], "data/level", FileProblem.CHANGED)
    with while_it_is_read(lambda: world.services.damages.report(*met)):
        verify_all(world, admin)
    assert (damaged_files(admin), is_corrupted(admin, game)) == ([("data/level", "changed")], True)


def test_at_most_100_damaged_files_of_a_version_are_listed(world: World) -> None:
    for number in range(120):
        world.put(f"Doom/1.0/{number:03}")
    version = lay(world)
    admin, _ = stand(world, "1.0")
    for number in range(120):
        (version / f"{number:03}").unlink()

    log = "".join(verify_all(world, admin)["log"])

    assert len(damaged_files(admin)) == 100
    assert "20 more files" in log


def test_a_version_with_a_missing_layer_is_skipped(world: World) -> None:
    lay(world)
    world.put("Doom/1.1/doom")
    admin, game = stand(world, "1.0", "1.1")
    world.services.blobs.delete(f"layers/{version_of(admin, game)['id']}")
    corrupt_file(world.games / "Doom/1.1/doom")
    log = "".join(verify_all(world, admin)["log"])
    assert (damaged_files(admin), "Skipped Doom 1.0." in log) == ([("doom", "rot")], True)


# --- One version ---


def test_an_admin_can_verify_a_single_version(world: World) -> None:
    corrupt_later = lay(world)
    world.put("Doom/1.1/doom")
    admin, game = stand(world, "1.0", "1.1")
    corrupt_file(corrupt_later / "doom")
    corrupt_file(world.games / "Doom/1.1/doom")

    started = admin.post(f"/api/v1/admin/version/{version_of(admin, game, '1.1')['id']}/verify")
    task = world.finish(admin, started.json()["taskId"])

    assert (started.status_code, task["success"], task["name"]) == (202, True, "Verify Doom 1.1")
    assert [each["version"]["name"] for each in admin.get(DAMAGE).json()] == ["1.1"]


def test_an_unknown_version_cannot_be_verified(world: World) -> None:
    answer = world.admin().post(f"/api/v1/admin/version/{UNKNOWN}/verify")
    assert (answer.status_code, answer.json()["type"]) == (404, "version-unknown")


# --- Where it is met ---


def test_a_changed_file_is_reported_as_damage_when_it_is_requested(world: World) -> None:
    version = lay(world)
    admin, game = stand(world, "1.0")
    os.utime(version / "doom.wad")
    for _ in range(2):
        refused = world.with_token(admin.token).get(f"/api/v1/versions/{version_of(admin, game)['id']}/files/doom.wad")
        assert (refused.status_code, refused.json()["type"]) == (409, "content-changed")
    assert (damaged_files(admin), is_corrupted(admin, game)) == ([("doom.wad", "changed")], True)


@pytest.mark.both_databases
def test_damage_is_recorded_and_logged_once(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    version = version_of(admin, game)["id"]

    def report() -> None:
        world.services.damages.report(version, "doom.wad", FileProblem.CHANGED)

    with capture_logs() as logs:
        at_once([report] * 4)
        report()

    told = [line for line in logs if line["event"] == "a file does not match its import"]
    assert [(line["version"], line["path"], line["fault"]) for line in told] == [(version, "doom.wad", "changed")]
    assert (damaged_files(admin), is_corrupted(admin, game)) == ([("doom.wad", "changed")], True)


def test_damage_of_a_deleted_version_is_ignored(world: World) -> None:
    world.services.damages.report(UNKNOWN, "doom.wad", FileProblem.CHANGED)
    assert world.admin().get(DAMAGE).json() == []


def test_deleting_a_game_deletes_its_damage(world: World) -> None:
    lay(world)
    admin, game = stand(world, "1.0")
    world.services.damages.report(version_of(admin, game)["id"], "doom.wad", FileProblem.ROT)
    assert admin.delete(f"/api/v1/admin/game/{game}").status_code == 204
    assert admin.get(DAMAGE).json() == []


def test_damaged_versions_are_listed_by_game_and_version_order(world: World) -> None:
    for path in ("Doom/1.9/doom", "Doom/1.10/doom", "Arx/1.0/doom"):
        world.put(path)
    admin, game = stand(world, "1.9", "1.10")
    library = admin.get("/api/v1/admin/library/sources").json()[0]
    add_version(world, admin, arx := world.import_game(admin, library, "Arx"), "1.0")
    for each, name in ((game, "1.10"), (arx, "1.0"), (game, "1.9")):
        world.services.damages.report(version_of(admin, each, name)["id"], "doom", FileProblem.ROT)

    found = [(each["game"]["name"], each["version"]["name"]) for each in admin.get(DAMAGE).json()]

    assert found == [("Arx", "1.0"), ("Doom", "1.9"), ("Doom", "1.10")]
